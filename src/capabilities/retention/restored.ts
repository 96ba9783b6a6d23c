import type { DataSource } from 'typeorm';
import { CommandError } from '../../cli/command-error.js';
import { counted } from '../../cli/output.js';
import { requireOneServer } from '../../database/distribution.js';
import { createDataSource, initialize } from '../../server/data-source.js';
import type { RestoreReport } from '../../server/hooks.js';
import { type AppliedErasures, applyErasures } from './apply-erasures.js';
import { type ErasureLine, erasureLines } from './erasures.js';
import { parseErasure, readErasures } from './parse-erasures.js';

/** Where the erasures are since the backup: in a file of "db erasures", or still in the former database. */
export interface ErasureSource {
  readonly erasures?: string;
  readonly from?: string;
}

/** Deletes again what was deleted since the backup. Returns undefined if the options name no erasures. */
export async function forgetRestored(
  dataSource: DataSource,
  { erasures: file, from }: ErasureSource,
): Promise<RestoreReport | undefined> {
  if (file === undefined && from === undefined) return undefined;
  if (file !== undefined && from !== undefined)
    throw new CommandError('Give one of "--erasures" and "--from", not both.');
  await requireOneServer(dataSource, 'Erasures', 'Leave out "--erasures" and "--from".');
  const read = () => (file === undefined ? readFrom(from ?? '') : readErasures(file));
  // Reads everything once before it deletes anything, so that a damaged file changes nothing.
  let count = 0;
  for await (const batch of read()) count += batch.length;
  const applied: AppliedErasures = { submissions: 0, anonymized: 0, users: 0, held: new Set() };
  for await (const batch of read()) await applyErasures(dataSource, batch, applied);
  return reportOf(count, applied);
}

async function* readFrom(url: string): AsyncGenerator<readonly ErasureLine[]> {
  const former = createDataSource({ connectionString: url }, { size: 1, deadlines: false });
  await initialize(former, 'the URL of "--from"');
  const runner = former.createQueryRunner();
  try {
    if (!(await runner.hasTable('erasures')))
      throw new CommandError(
        'The database of "--from" has no record of deletions, because an older version has used it. Repeat the deletions by hand.',
      );
    await runner.startTransaction('REPEATABLE READ');
    for await (const lines of erasureLines(runner.manager))
      yield lines.map((line) => parseErasure(line, 'A row of the former database'));
  } finally {
    await former.destroy();
  }
}

function reportOf(count: number, { submissions, anonymized, users, held }: AppliedErasures): RestoreReport {
  const uuids = [...held].toSorted();
  const names = uuids.slice(0, 10).join(', ');
  const lines = [
    `Read ${counted(count, 'erasure')}. Deleted again: ${counted(submissions, 'submission')}, the personal answers of ` +
      `${counted(anonymized, 'submission')}, and ${counted(users, 'user')}. Everything else was gone already.`,
  ];
  if (count === 0) lines.push('There are no erasures. Check that you gave the right file or database.');
  return {
    json: { erasures: { read: count, submissions, anonymized, users, held: uuids } },
    lines,
    failure:
      uuids.length === 0
        ? undefined
        : `${counted(uuids.length, 'held submission')} stayed, and users who were erased with ${uuids.length === 1 ? 'it' : 'them'}: ` +
          `${names}${uuids.length > 10 ? ' and others' : ''}. Set submissions.held to false, for example in the administration panel, ` +
          'then run the command again.',
  };
}
