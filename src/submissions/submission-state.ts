import type { FastifyReply } from 'fastify';

/** The data of a response about a submission, and the state that it shows. */
export interface SubmissionState<Data = unknown> {
  readonly data: Data;
  /** The ETag of that state (S11). */
  readonly updatedAt: string;
}

/** The body of a response, whose ETag it sets. */
export function withETag({ data, updatedAt }: SubmissionState, reply: FastifyReply) {
  void reply.header('ETag', `"${updatedAt}"`);
  return { data };
}
