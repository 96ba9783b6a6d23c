import type { ActionContext, ActionRequest, BaseRecord } from 'adminjs';
import { Submission } from 'formtrail-entities';
import type { DataSource, EntityManager } from 'typeorm';
import { asSignedIn } from '../adapter/as-signed-in.js';
import { HttpError } from '../errors.js';
import { referenceOf } from './answers-table.js';

/** The actions that hold and release the submission of a page. Nothing else of a submission is written. */
export function holding(dataSource: DataSource) {
  const setting = (held: boolean) => async (request: ActionRequest, _: unknown, context: ActionContext) => {
    const record = context.record as BaseRecord;
    const json = record.toJSON(context.currentAdmin);
    if (request.method !== 'post') return { record: json };
    await asSignedIn(dataSource, context, (manager) =>
      manager.update(Submission, { uuid: record.id() }, { held }),
    );
    const message = held ? 'The submission is held.' : 'The submission is no longer held.';
    return { record: json, notice: { message, type: 'success' as const } };
  };
  return { hold: setting(true), release: setting(false) };
}

const MOST_NAMED = 10;

/** @throws HttpError if one of these submissions, or a submission of one of these forms, is held */
export async function checkReleased(
  manager: Pick<EntityManager, 'query'>,
  column: 'uuid' | 'form_id',
  values: readonly (string | number)[],
): Promise<void> {
  const held = await manager.query<{ uuid: string }[]>(
    `select uuid from submissions join held_submissions on uuid = submission_uuid where ${column} = any ($1) order by uuid limit ${MOST_NAMED}`,
    [values],
  );
  if (held.length === 0) return;
  const names = held.map(({ uuid }) => referenceOf(uuid)).join(', ');
  throw new HttpError(
    409,
    held.length === 1
      ? `Nothing is changed, because the submission ${names} is held. Release it on its page first.`
      : `Nothing is changed, because submissions are held: ${names}. Release them on their pages first.`,
  );
}
