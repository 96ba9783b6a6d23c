import type { ActionContext, ActionRequest } from 'adminjs';
import { AuditEntry, setDeletionReason, Submission } from 'formtrail-entities';
import type { DataSource } from 'typeorm';
import { asSignedIn } from '../adapter/as-signed-in.js';
import { HttpError } from '../errors.js';
import { checkReleased } from './hold-submissions.js';

/**
 * Deletes submissions, with an entry of the audit log for each, all in one transaction. Triggers and foreign keys delete values, records
 * and files, count what users store, and tell the endpoints of webhooks.
 *
 * @throws HttpError if one of them is held
 */
async function deleteSubmissions(
  dataSource: DataSource,
  context: ActionContext,
  uuids: readonly string[],
): Promise<number> {
  return asSignedIn(dataSource, context, async (manager) => {
    await checkReleased(manager, 'uuid', uuids);
    await setDeletionReason(manager, 'operator');
    let count = 0;
    // In the order of their keys, as every program locks them.
    for (const uuid of uuids.toSorted()) {
      const { affected } = await manager.delete(Submission, { uuid });
      if (affected !== 1) continue;
      count += 1;
      await manager.insert(AuditEntry, {
        action: 'submissions.deleted',
        subject: `submission:${uuid}`,
        detail: { submissions: 1 },
      });
    }
    return count;
  });
}

/** AdminJS shows notices of actions, but no errors. */
const asNotice = (error: unknown) => {
  if (!(error instanceof HttpError)) throw error;
  return { notice: { message: error.message, type: 'error' as const } };
};

/** The actions that delete the submission of a page, and those that are selected in the table. */
export const deletions = (dataSource: DataSource) => ({
  deleteOne: async (request: ActionRequest, _: unknown, context: ActionContext) => {
    const { record, currentAdmin, h, resource } = context;
    if (!record) throw new Error('AdminJS responds with 404 if there is no record.');
    const json = record.toJSON(currentAdmin);
    if (request.method !== 'post') return { record: json };
    const deleted = deleteSubmissions(dataSource, context, [record.id()]);
    const outcome = await deleted.then(
      () => ({
        redirectUrl: h.resourceUrl({ resourceId: resource.id() }),
        notice: { message: 'The submission is deleted.', type: 'success' as const },
      }),
      asNotice,
    );
    return { record: json, ...outcome };
  },
  deleteSelected: async (request: ActionRequest, _: unknown, context: ActionContext) => {
    const { records = [], currentAdmin, h, resource } = context;
    const json = records.map((record) => record.toJSON(currentAdmin));
    if (request.method !== 'post') return { records: json };
    const deleted = deleteSubmissions(
      dataSource,
      context,
      records.map((record) => record.id()),
    );
    const outcome = await deleted.then(
      (count) => ({
        redirectUrl: h.resourceUrl({ resourceId: resource.id() }),
        notice: {
          message: count === 1 ? 'One submission is deleted.' : `${count} submissions are deleted.`,
          type: 'success' as const,
        },
      }),
      asNotice,
    );
    return { records: json, ...outcome };
  },
});
