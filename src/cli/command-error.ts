/** An expected failure of a command. The message is printed without a stack trace. */
export class CommandError extends Error {}

/** Thrown if a signal ends the command. An open transaction is rolled back. */
export class Interrupted extends Error {
  constructor(readonly signal: 'SIGINT' | 'SIGTERM') {
    super(`Interrupted by ${signal}.`);
  }
}

export function noFormWithSlug(slug: string): CommandError {
  return new CommandError(`There is no form with the slug "${slug}". "forms list" shows all forms.`);
}
