import type { FastifyReply } from 'fastify';

/** The data of a response about a submission, and the time of the last write to the submission. */
export interface SubmissionState<Data = unknown> {
  readonly data: Data;
  /** The ETag (S11). */
  readonly updatedAt: string;
}

/** Returns the body of a response and sets its ETag. */
export function withETag({ data, updatedAt }: SubmissionState, reply: FastifyReply) {
  void reply.header('ETag', `"${updatedAt}"`);
  return { data };
}
