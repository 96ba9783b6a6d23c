import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import type { AuthenticatedUser } from './authenticated-user.js';

/** What the guard shows the strategy of a request. */
export interface BearerRequest {
  readonly headers: { readonly authorization: string | undefined };
  /** Asks the guard's application: passport keeps one strategy for all applications of a process. */
  readonly authenticate: () => Promise<AuthenticatedUser | undefined>;
}

@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  constructor() {
    super({ passReqToCallback: true });
  }

  async validate({ authenticate }: BearerRequest): Promise<AuthenticatedUser | false> {
    return (await authenticate()) ?? false;
  }
}
