import type { DataSource, EntityManager } from 'typeorm';
import { setDeletionReason } from '../../database/set-deletion-reason.js';
import { forgetCopies } from '../../server/load-hooks.js';
import { type FoundSubmission, inWindows, SmallBatches } from '../../submissions/small-batches.js';
import { anonymize } from './anonymize.js';
import { DELETE_DUE, type DueReason, FIND_DUE, FIND_FORMS, LOCK_PERSONAL } from './due.statements.js';

/** A form with a period. A period is a number of days, or null. */
export interface PeriodsOfForm {
  readonly id: number;
  readonly slug: string;
  readonly completedDays: number | null;
  readonly draftsDays: number | null;
  readonly personalDays: number | null;
  readonly personalFieldIds: readonly number[];
}

/** Numbers of submissions: deleted completed ones, deleted drafts, and those whose personal answers were deleted. */
export type DueCounts = Record<DueReason, number>;

export interface DueOfForm {
  readonly form: PeriodsOfForm;
  readonly counts: DueCounts;
}

export interface ForgetOptions {
  /** Only submissions of this form. Undefined: of all forms. */
  readonly formId?: number | undefined;
  /** Called first in each transaction. If it returns false, the work ends. */
  readonly takeTurn: (manager: EntityManager) => Promise<boolean>;
  /** Called last in each transaction that deletes something. */
  readonly record?: (manager: EntityManager, form: PeriodsOfForm, counts: DueCounts) => Promise<void>;
  /** Called after each transaction. */
  readonly onDeleted?: (counts: DueCounts) => void;
  /** Ends the work between two transactions. */
  readonly signal?: AbortSignal;
}

type Found = FoundSubmission<DueReason>;

const none = (): DueCounts => ({ completed: 0, drafts: 0, personal: 0 });

function add(total: DueCounts, counts: DueCounts): void {
  for (const reason of Object.keys(total) as DueReason[]) total[reason] += counts[reason];
}

const findForms = ({ manager }: DataSource, formId: number | undefined) =>
  manager.query<PeriodsOfForm[]>(FIND_FORMS, [formId]);

const dueOf = ({ manager }: DataSource, form: PeriodsOfForm, signal?: AbortSignal) =>
  inWindows((after) => {
    const periods = [form.completedDays, form.draftsDays, form.personalDays];
    return manager.query<Found[]>(FIND_DUE, [after, form.id, ...periods, form.personalFieldIds]);
  }, signal);

/** Counts what {@link forgetDue} would delete now. */
export async function countDue(dataSource: DataSource, formId: number | undefined): Promise<DueOfForm[]> {
  const due: DueOfForm[] = [];
  for (const form of await findForms(dataSource, formId)) {
    const counts = none();
    for await (const found of dueOf(dataSource, form)) for (const { reason } of found) counts[reason] += 1;
    due.push({ form, counts });
  }
  return due;
}

/**
 * Deletes the submissions and personal answers whose period has ended (T1, T4), in small transactions. Each locks its submissions and
 * judges them again. Committed transactions stay if the work ends early.
 */
export async function forgetDue(dataSource: DataSource, options: ForgetOptions): Promise<DueOfForm[]> {
  const batches = new SmallBatches(options.signal);
  const done: DueOfForm[] = [];
  for (const form of await findForms(dataSource, options.formId)) {
    const counts = none();
    done.push({ form, counts });
    for await (const found of dueOf(dataSource, form, options.signal))
      for (const isPersonal of [false, true]) {
        const due = found.filter(({ reason }) => (reason === 'personal') === isPersonal);
        const isDone = await batches.run(due, async (uuids) => {
          const batch = await forget(dataSource, form, uuids, isPersonal, options);
          if (batch === undefined) return false;
          add(counts, batch);
          options.onDeleted?.(batch);
          return true;
        });
        if (!isDone) return done;
      }
  }
  return done;
}

function forget(
  dataSource: DataSource,
  form: PeriodsOfForm,
  uuids: readonly string[],
  isPersonal: boolean,
  { takeTurn, record }: ForgetOptions,
): Promise<DueCounts | undefined> {
  return dataSource.transaction(async (manager) => {
    if (!(await takeTurn(manager))) return undefined;
    const counts = isPersonal
      ? { ...none(), personal: await forgetAnswers(manager, form, uuids) }
      : await forgetSubmissions(manager, uuids);
    if (Object.values(counts).some((count) => count > 0)) await record?.(manager, form, counts);
    return counts;
  });
}

async function forgetSubmissions(manager: EntityManager, uuids: readonly string[]): Promise<DueCounts> {
  await setDeletionReason(manager, 'retention');
  const deleted = await manager.query<{ uuid: string; status: string }[]>(DELETE_DUE, [uuids]);
  await forgetCopies(
    manager,
    deleted.map(({ uuid }) => uuid),
  );
  const drafts = deleted.filter(({ status }) => status === 'draft').length;
  return { completed: deleted.length - drafts, drafts, personal: 0 };
}

/** Reads which fields are personal now, in the transaction that deletes their answers. */
async function forgetAnswers(
  manager: EntityManager,
  { id }: PeriodsOfForm,
  uuids: readonly string[],
): Promise<number> {
  const locked = await manager.query<{ uuid: string }[]>(LOCK_PERSONAL, [uuids]);
  const [form] = await manager.query<PeriodsOfForm[]>(FIND_FORMS, [id]);
  if (form === undefined || locked.length === 0) return 0;
  const own = locked.map(({ uuid }) => uuid);
  return anonymize(manager, own, form.personalFieldIds);
}
