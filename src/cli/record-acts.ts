import type { DataSource, EntityManager } from 'typeorm';
import { recordAct } from '../audit/record-act.js';
import { isReadOnly } from '../database/database-errors.js';
import { Form } from '../entities.js';
import type { PurgedRespondents } from '../respondents/purge-respondents.js';
import { sayToOperator } from '../process/say-to-operator.js';
import { asOperator, nameOperator } from './as-operator.js';

interface BegunExport {
  readonly slug: string;
  readonly status: string | undefined;
  readonly since: string | undefined;
  readonly format: string;
  /** The folder for files, or undefined for an export without files. */
  readonly files: string | undefined;
  readonly includeTests: boolean | undefined;
  readonly withHidden?: boolean;
}

/**
 * Records an export in the audit log. Commits before the export reads the first row, so that an interrupted export
 * has an entry too. On a read-only replica, prints a warning instead.
 */
export async function recordExport(
  dataSource: DataSource,
  { slug, status, since, format, files, includeTests, withHidden }: BegunExport,
): Promise<void> {
  const detail = {
    format,
    status,
    since,
    files: files !== undefined,
    include_tests: includeTests,
    with_hidden: withHidden,
  };
  try {
    await asOperator(dataSource, async (manager) => {
      if (!(await manager.existsBy(Form, { slug }))) return;
      await recordAct(manager, { action: 'submissions.exported', subject: `form:${slug}`, detail });
    });
  } catch (error) {
    if (!isReadOnly(error)) throw error;
    sayToOperator('Warning: this database is read-only, so the audit log has no entry of this export.');
  }
}

/** Returns a function that records a batch of a purge, in the transaction of the batch. */
export function recordPurge(slug: string | undefined, lastWrittenBefore: string) {
  return async (manager: EntityManager, submissions: number): Promise<void> => {
    await nameOperator(manager);
    await recordAct(manager, {
      action: 'submissions.deleted',
      subject: `form:${slug ?? '*'}`,
      detail: { status: 'draft', last_written_before: lastWrittenBefore, submissions },
    });
  };
}

/** Like {@link recordPurge}, for a batch of tests (P10). */
export function recordTests(slug: string | undefined) {
  return async (manager: EntityManager, submissions: number): Promise<void> => {
    await nameOperator(manager);
    await recordAct(manager, {
      action: 'submissions.deleted',
      subject: `form:${slug ?? '*'}`,
      detail: { is_test: true, submissions },
    });
  };
}

/** Returns a function that records a batch of ended tokens of respondents, in the transaction of the batch. */
export function recordRevocation(slug: string) {
  return async (manager: EntityManager, tokens: number): Promise<void> => {
    await nameOperator(manager);
    await recordAct(manager, { action: 'respondents.revoked', subject: `form:${slug}`, detail: { tokens } });
  };
}

/** Returns a function that records a batch of deleted respondents, in the transaction of the batch. */
export function recordRespondentPurge(slug: string | undefined) {
  return async (manager: EntityManager, purged: PurgedRespondents): Promise<void> => {
    await nameOperator(manager);
    await recordAct(manager, {
      action: 'respondents.purged',
      subject: `form:${slug ?? '*'}`,
      detail: { ...purged },
    });
  };
}
