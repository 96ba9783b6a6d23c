import { Command } from 'commander';
import { sayToOperator } from '../process/say-to-operator.js';
import { CommandError } from './command-error.js';
import { parseDuration, parseEmail, parseId, parseTokenName } from './option-values.js';
import { print, printJson, printTable } from './output.js';
import { withDatabase } from './with-database.js';

type CreateOptions = Readonly<{ email: string; name?: string; expiresIn?: number }>;

export function tokensCommand(): Command {
  const tokens = new Command('tokens').description('issue, list and revoke the bearer tokens of users');

  tokens
    .command('create')
    .description('issue a token and print only the token. It is shown only once, and only its hash is stored')
    .requiredOption('--email <address>', 'the user, who is created if the address is new', parseEmail)
    .option('--name <text>', 'what the token is for', parseTokenName)
    .option(
      '--expires-in <duration>',
      'time after which the token expires, such as 30m, 12h, 90d or 2w; by default, never',
      parseDuration,
    )
    .action(async ({ email, name, expiresIn }: CreateOptions) => {
      const { createToken } = await import('./tokens.js');
      const grant = { email, name, secondsValid: expiresIn };
      await withDatabase((dataSource) =>
        createToken(dataSource, grant, async (plainToken, token) => {
          const until = token.expires_at === null ? 'never expires' : `expires at ${token.expires_at}`;
          await print(plainToken);
          sayToOperator(`Token ${token.id} of ${token.email} ${until}.`);
        }),
      );
    });

  tokens
    .command('list')
    .description('list all tokens: id, email address, name, created, expires, status')
    .option('--json', 'print a JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { listTokens } = await import('./tokens.js');
      const listed = await withDatabase(listTokens);
      if (json) return printJson(listed);
      const rows = listed.map(({ id, email, name, created_at, expires_at, status }) => {
        return [String(id), email ?? '-', name ?? '-', created_at, expires_at ?? 'never', status];
      });
      return printTable([['ID', 'EMAIL', 'NAME', 'CREATED', 'EXPIRES', 'STATUS'], ...rows]);
    });

  tokens
    .command('revoke')
    .description('revoke a token permanently; the service rejects requests with it from then on')
    .argument('<id>', 'the id of the token in "tokens list"', parseId)
    .action(async (id: number) => {
      const { revokeToken } = await import('../auth/revoke-token.js');
      const { asOperator } = await import('./as-operator.js');
      const outcome = await withDatabase((dataSource) =>
        asOperator(dataSource, (manager) => revokeToken(manager, id)),
      );
      if (outcome === 'unknown')
        throw new CommandError(`There is no token with the id ${id}. "tokens list" shows the tokens.`);
      return print(outcome === 'revoked' ? `Token ${id} is revoked.` : `Token ${id} is already revoked.`);
    });

  return tokens;
}
