import { Injectable } from '@nestjs/common';

/**
 * Whether the process is stopping. A stopping process is not ready for new requests, but finishes the requests that it has begun.
 */
@Injectable()
export class Lifecycle {
  isStopping = false;
}
