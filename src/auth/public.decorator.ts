import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'formtrail:public';

/** Declares that a controller needs no token; every other one is guarded, and a test holds to that. */
export const Public = () => SetMetadata(PUBLIC, true);
