import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { baseUrlOf } from '../http/headers/base-url.js';
import { JSON_TYPE } from '../http/headers/conditional-requests.js';

/** The content of a response about a submission. */
export interface SubmissionState<Data = unknown> {
  /** Undefined if the response has no body. */
  readonly data: Data;
  /** The time of the last write to the submission, which is its ETag (S11). */
  readonly updatedAt: string;
  /** The version of the form that `data` was made from (N1). */
  readonly formVersion: number | null;
  /** The states of the fields, as JSON (V13). */
  readonly conditions?: string | undefined;
  /** The path of the created resource below the prefix of the API. */
  readonly created?: string;
}

export type Respond = (state: SubmissionState) => object | string | undefined;

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

@Injectable()
class RespondPipe implements PipeTransform<Exchange, Respond> {
  constructor(private readonly environment: Environment) {}

  transform({ request, reply }: Exchange): Respond {
    return ({ data, updatedAt, formVersion, conditions, created }) => {
      void reply.header('ETag', `"${updatedAt}"`);
      if (created !== undefined)
        void reply.header('Location', baseUrlOf(request, this.environment) + API_PREFIX + created);
      if (data === undefined) return undefined;
      if (conditions === undefined) return { data, form_version: formVersion };
      void reply.header('Content-Type', JSON_TYPE);
      return `{"data":${JSON.stringify(data)},"form_version":${formVersion},"conditions":${conditions}}`;
    };
  }
}

const ExchangeOf = createParamDecorator((_data: unknown, context: ExecutionContext): Exchange => {
  const http = context.switchToHttp();
  return { request: http.getRequest<FastifyRequest>(), reply: http.getResponse<FastifyReply>() };
});

/** Injects a function that sets the headers of a response about a submission, and returns its body. */
export const Responder = () => ExchangeOf(RespondPipe);
