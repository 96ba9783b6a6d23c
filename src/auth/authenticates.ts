import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { AuthenticatedUser, Scope } from './authenticated-user.js';

/** Marks a provider that is an {@link Authenticator}. */
export const Authenticates = DiscoveryService.createDecorator();

/** Calls `find` if the address of the request may look a token up, and counts the request if `find` returns undefined. */
export type LookUp = <Result>(find: () => Promise<Result | undefined>) => Promise<Result | undefined>;

type FoundUser = AuthenticatedUser | undefined;

/** Finds the users of one kind of bearer token. */
export interface Authenticator {
  /** Whether the text looks like a token of this kind. Each request with a token asks, so look at the text only. */
  recognises(token: string): boolean;
  /**
   * Returns no promise if the token is cached, because a promise would take longer than the look-up.
   *
   * @param hash the SHA-256 of the token
   * @throws Problem if no token of this kind can be verified at the moment
   */
  userOf(token: string, hash: string, lookUp: LookUp): FoundUser | Promise<FoundUser>;
  /**
   * Returns what API tokens of this user allow, if the user is of the kind that gets these tokens. Called when an API token is
   * looked up.
   */
  scopeOf?(userId: number, hash: string): Promise<Scope | undefined>;
}

/** Asks the kind of token that recognises a text. */
@Injectable()
export class Authenticators implements OnModuleInit {
  private kinds: readonly Authenticator[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const providers = this.discovery.getProviders({ metadataKey: Authenticates.KEY });
    this.kinds = providers.map(({ instance }) => instance as Authenticator);
  }

  userOf(token: string, hash: string, lookUp: LookUp): FoundUser | Promise<FoundUser> {
    for (const kind of this.kinds) if (kind.recognises(token)) return kind.userOf(token, hash, lookUp);
    return undefined;
  }

  async scopeOf(userId: number, hash: string): Promise<Scope | undefined> {
    for (const kind of this.kinds) {
      const scope = await kind.scopeOf?.(userId, hash);
      if (scope !== undefined) return scope;
    }
    return undefined;
  }
}
