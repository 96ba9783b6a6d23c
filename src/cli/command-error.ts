/** A command that cannot do what it was asked; the message is one sentence and is shown without a stack. */
export class CommandError extends Error {}

/** A signal ended the command; what it had begun in the database is rolled back. */
export class Interrupted extends Error {
  constructor(readonly signal: 'SIGINT' | 'SIGTERM') {
    super(`Interrupted by ${signal}.`);
  }
}

export function noFormWithSlug(slug: string): CommandError {
  return new CommandError(`There is no form with the slug "${slug}". "forms list" shows those there are.`);
}
