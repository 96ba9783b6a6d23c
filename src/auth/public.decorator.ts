import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'formtrail:public';

/** Opens a controller or a route to requests without a token: every other one is closed. */
export const Public = () => SetMetadata(PUBLIC, true);
