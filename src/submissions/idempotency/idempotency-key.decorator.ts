import { Headers } from '@nestjs/common';

/** The `Idempotency-Key` of a request, as it is sent; undefined where there is none (S10). */
export const IdempotencyKey = () => Headers('Idempotency-Key');
