import { Injectable } from '@nestjs/common';

/** Whether the process is stopping. It is then not ready, but finishes the requests that it has begun. */
@Injectable()
export class Lifecycle {
  isStopping = false;
}
