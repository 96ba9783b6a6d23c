import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';

/** What the guard shows of a request. */
export interface BearerRequest {
  readonly headers: { readonly authorization?: string | undefined };
  readonly userId: number | undefined;
}

@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({ passReqToCallback: true });
  }

  /** The token was looked up as the request came in, because the rate limit had to know whose it is. */
  validate(request: BearerRequest): { userId: number } | false {
    return request.userId === undefined ? false : { userId: request.userId };
  }
}
