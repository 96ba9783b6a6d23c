import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { grantTime } from '../../http/errors/client-error.js';

export interface UploadedContent {
  readonly bytes: Readable;
  /** The Content-Length in bytes. Undefined if the request does not have this header. */
  readonly length: number | undefined;
  /** Whether the body is only a part of the content (`Content-Range`). */
  readonly isPartial: boolean;
  readonly confirmToken: () => Promise<void>;
}

/** The content that a request uploads. Uploads have a longer timeout than other bodies (see `UPLOAD_TIMEOUT`). */
export const UploadBody = createParamDecorator(
  (_data: unknown, context: ExecutionContext): UploadedContent => {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { body, headers, raw } = request;
    const isPartial = headers['content-range'] !== undefined;
    const confirmToken = async () => request.confirmToken?.();
    if (!(body instanceof Readable)) return { bytes: Readable.from([]), length: 0, isPartial, confirmToken };
    grantTime(raw, http.getResponse<FastifyReply>().raw);
    const length = headers['content-length'];
    return {
      bytes: body,
      length: length === undefined ? undefined : Number(length),
      isPartial,
      confirmToken,
    };
  },
);
