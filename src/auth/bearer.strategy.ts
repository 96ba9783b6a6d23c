import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import { unauthenticatedProblem } from '../http/errors/problems.js';
import { AddressAllowance } from '../throttling/address-allowance.js';
import type { AuthenticatedUser } from './authenticated-user.js';
import { Authenticators } from './authenticates.js';
import { hashToken } from './issue-token.js';

type PassportRequest = Parameters<Strategy<never>['authenticate']>[0];

/** Reads the token from the `Authorization` header (RFC 6750, section 2.1) and finds its user. */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  constructor(
    private readonly authenticators: Authenticators,
    private readonly allowance: AddressAllowance,
  ) {
    super({ passReqToCallback: true });
    // Passport registers strategies by name for the whole process. Several applications in a process need different names.
    this.name = `bearer-${randomUUID()}`;
    passport.use(this);
  }

  /**
   * Ignores a token in the query (A1), because passport would accept it. The body is not read yet, so passport finds
   * no token there.
   */
  override authenticate(request: PassportRequest): void {
    delete request.query['access_token'];
    super.authenticate(request);
  }

  async validate(request: FastifyRequest, token: string): Promise<AuthenticatedUser | false> {
    const hash = hashToken(token);
    const user = await this.authenticators.userOf(token, hash, (find) =>
      this.allowance.withinLimit(request, hash, find),
    );
    if (user === undefined) return false;
    this.allowance.accept(hash);
    request.confirmToken = async () => {
      // The limit of look-ups is for unknown tokens. This token was valid a moment ago.
      const confirmed = await this.authenticators.userOf(token, hash, (find) => find());
      if (confirmed?.id !== user.id) throw unauthenticatedProblem();
    };
    return user;
  }
}
