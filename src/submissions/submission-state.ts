import type { FastifyReply } from 'fastify';

/** The data of a response about a submission, and the time of the last write to the submission. */
export interface SubmissionState<Data = unknown> {
  readonly data: Data;
  /** The ETag (S11). */
  readonly updatedAt: string;
  /** The version of the form that `data` was made from (N1). */
  readonly formVersion: number | null;
}

export const etagOf = (updatedAt: string) => `"${updatedAt}"`;

/** Returns the body of a response and sets its ETag. */
export function withETag({ data, updatedAt, formVersion }: SubmissionState, reply: FastifyReply) {
  void reply.header('ETag', etagOf(updatedAt));
  return { data, form_version: formVersion };
}
