import { type EntityManager, IsNull } from 'typeorm';
import { CommandError } from '../../../cli/command-error.js';
import { printable } from '../../../process/printable.js';
import type { CommandOptions, UserNames } from '../../../server/hooks.js';
import { UserIdentity } from '../entities/user-identity.js';

interface Account {
  readonly issuer: string;
  readonly subject: string;
}

/** Users are named by their accounts at identity providers too (A10). */
export const ACCOUNTS: UserNames = {
  usage: '--issuer URL and --subject ACCOUNT',
  advice: 'If the person signs in at an identity provider, name the account with --issuer and --subject.',

  findersOf(options: CommandOptions & { issuer?: readonly string[]; subject?: readonly string[] }) {
    const { issuer: issuers = [], subject: subjects = [] } = options;
    if (issuers.length !== subjects.length)
      throw new CommandError('An account has an issuer and a subject: give --issuer and --subject together.');
    return issuers.map(
      (issuer, at) => (manager) => findUser(manager, { issuer, subject: subjects[at] ?? '' }),
    );
  },

  async describe(manager, userId) {
    const identities = await manager.find(UserIdentity, { where: { userId }, order: { id: 'ASC' } });
    if (identities.length === 0) return ', with no identity';
    const lines = identities.map(
      ({ id, issuer, subject }) =>
        `  identity ${id}: subject "${printable(subject)}" of ${printable(issuer)}`,
    );
    return [', with these identities:', ...lines].join('\n');
  },

  async withoutAddress(manager) {
    const count = await manager.countBy(UserIdentity, { user: { email: IsNull() } });
    if (count === 0) return undefined;
    return (
      `--email cannot find an account whose user has no address, for example because another user had the address first. Users ` +
      `without an address have ${count === 1 ? '1 identity' : `${count} identities`}. If the person signs in at an identity provider, ` +
      'also name the account with --issuer and --subject.'
    );
  },
};

async function findUser(manager: EntityManager, { issuer, subject }: Account): Promise<number> {
  const found = await manager.findOneBy(UserIdentity, { issuer, subject });
  if (found !== null) return found.userId;
  throw new CommandError(
    `There is no identity with the subject "${subject}" of ${issuer}. They are the claims sub and iss of the person's JSON web tokens.`,
  );
}
