import type { EntityManager } from 'typeorm';
import type { ChangeJson, EditJson, PublicationJson } from '../components/publishing/publishing-json.js';
import { HttpError } from '../errors.js';
import { findEdit, type PreparedEdit } from './prepared-edits.js';
import { planPublication } from './publication.js';
import type { Change, ServiceDefinitions } from './service-definitions.js';

/** @param id the form whose page shows the edit: the live form or the copy */
export function editJson(edit: PreparedEdit, id: number): EditJson {
  const { formId, copyId, name, version, begunBy, begunAt, begunVersion, copySlug, changedBy, changedAt } =
    edit;
  return {
    ...{ formId, copyId, name, version, begunBy, begunVersion, changedBy },
    isCopy: copyId === id,
    isCopyDeleted: copySlug === null,
    begunAt: begunAt.toISOString(),
    changedAt: changedAt?.toISOString() ?? null,
  };
}

/** Returns what publishing would change, and what has changed meanwhile. */
export async function publicationOf(
  service: ServiceDefinitions,
  manager: EntityManager,
  copyId: number,
): Promise<PublicationJson> {
  // One snapshot, so that the versions fit the differences.
  return manager.transaction('REPEATABLE READ', async (snapshot) => {
    const edit = await findEdit(snapshot, copyId);
    if (edit?.copyId !== copyId)
      throw new HttpError(409, 'These changes have been published or discarded meanwhile.');
    const common = { edit: editJson(edit, copyId), copyVersion: edit.copyVersion };
    const now = edit.slug === null ? undefined : await service.find(snapshot, edit.slug);
    if (now === undefined || edit.copySlug === null)
      return { ...common, changes: null, changesSince: [], problems: [] };
    if (edit.version !== edit.begunVersion) {
      const { slug, uuid = '', is_active } = edit.definition;
      const copy = await service.find(snapshot, edit.copySlug);
      const prepared = copy && service.compare(edit.definition, { ...copy, slug, uuid, is_active });
      const changesSince = inWords(service.compare(edit.definition, now));
      return { ...common, changes: inWords(prepared ?? []), changesSince, problems: [] };
    }
    const { changes, problems } = await planPublication(service, snapshot, edit);
    return { ...common, changes: inWords(changes), changesSince: [], problems };
  });
}

const inWords = (changes: readonly Change[]): ChangeJson[] =>
  changes.map(({ kind, message }) => ({ kind, message }));
