import type { DataSource } from 'typeorm';
import { formIdOf } from '../../../cli/command-error.js';
import { counted } from '../../../cli/output.js';

interface WrongCounter {
  readonly kind: 'form' | 'option' | 'user';
  readonly id: number;
  readonly stored: number;
  readonly found: number;
}

/**
 * Mends the counters of a form, and returns lines about it.
 *
 * @throws CommandError if no form has the slug
 */
export async function checkCounts(dataSource: DataSource, slug: string): Promise<string[]> {
  const formId = await formIdOf(dataSource, slug);
  const wrong = await dataSource.transaction((manager): Promise<WrongCounter[]> =>
    manager.query('select kind, id, counted as stored, found from formtrail_recount($1)', [formId]),
  );
  if (wrong.length === 0) return [`The counters of the form ${slug} are right.`];
  return [
    ...wrong.map(({ kind, id, stored, found }) => `${kind} ${id}: ${stored}, now ${found}`),
    `Mended ${counted(wrong.length, 'counter')} of the form ${slug}.`,
  ];
}
