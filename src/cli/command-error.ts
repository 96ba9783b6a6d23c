import type { EntityManager } from 'typeorm';

/** An expected failure of a command. The message is printed without a stack trace. */
export class CommandError extends Error {}

/** Thrown if a signal ends the command. An open transaction is rolled back. */
export class Interrupted extends Error {
  constructor(readonly signal: 'SIGINT' | 'SIGTERM') {
    super(`Interrupted by ${signal}.`);
  }
}

/** @throws CommandError if no form has the slug */
export async function formIdOf(
  { manager }: { readonly manager: Pick<EntityManager, 'query'> },
  slug: string,
): Promise<number> {
  const [form] = await manager.query<{ id: number }[]>('select id from forms where slug = $1', [slug]);
  if (form === undefined) throw noFormWithSlug(slug);
  return form.id;
}

export function noFormWithSlug(slug: string): CommandError {
  return new CommandError(`There is no form with the slug "${slug}". "forms list" shows all forms.`);
}
