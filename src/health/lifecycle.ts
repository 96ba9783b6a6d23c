import { Injectable } from '@nestjs/common';

/** Whether the process has been told to stop: from then on it is not ready, while it finishes what it has begun. */
@Injectable()
export class Lifecycle {
  isStopping = false;
}
