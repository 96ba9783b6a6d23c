import type { EntityManager } from 'typeorm';
import { HttpError } from '../errors.js';
import { checkReleased } from '../resources/hold-submissions.js';
import { asHttpError, slugOfEdit, writeCopy } from './copies.js';
import { deleteEdit, findEdit, insertEdit, lockEdit, type PreparedEdit } from './prepared-edits.js';
import { planPublication, rename, renameOptions } from './publication.js';
import type { ServiceDefinitions } from './service-definitions.js';

interface FormRow {
  readonly slug: string;
  readonly name: string;
  readonly version: number;
}

/** Begins, publishes and ends prepared edits. Each method is one transaction, under the name of the operator. */
export class Edits {
  constructor(private readonly service: ServiceDefinitions) {}

  /** Makes the copy of a form in which changes are prepared, or finds the copy that somebody has made. Returns the id of the copy. */
  prepare(actor: string | undefined, formId: number): Promise<{ copyId: number; isNew: boolean }> {
    return this.service.transaction(actor, async (manager) => {
      const form = await lockForm(manager, formId);
      const edit = await findEdit(manager, formId);
      if (edit?.copyId === formId)
        throw new HttpError(409, 'This form is a copy with prepared changes already.');
      if (edit !== undefined && edit.copySlug !== null) return { copyId: edit.copyId, isNew: false };
      if (edit !== undefined) await deleteEdit(manager, edit);
      return { copyId: await this.begin(manager, actor, formId, form), isNew: true };
    });
  }

  /**
   * Publishes the copy as one version of the live form, and deletes the copy.
   *
   * @param seenVersion the version of the copy whose differences the person has seen
   */
  publish(
    actor: string | undefined,
    copyId: number,
    seenVersion: number,
  ): Promise<{ formId: number; version: number }> {
    return this.service.transaction(actor, async (manager) => {
      const edit = await lockWhole(manager, copyId);
      if (edit.version !== edit.begunVersion)
        throw new HttpError(
          409,
          `Nothing is published: the form has version ${edit.version} now, and these changes were begun from version ${edit.begunVersion}.`,
        );
      if (edit.copyVersion !== seenVersion)
        throw new HttpError(
          409,
          'Somebody has changed these prepared changes meanwhile. Look at the differences again.',
        );
      const { definition, renames, problems } = await planPublication(this.service, manager, edit);
      if (problems.length > 0) throw new HttpError(409, problems.join(' '));
      await checkReleased(manager, 'form_id', [edit.copyId]);
      await rename(manager, renames);
      await renameOptions(manager, edit);
      try {
        const { version } = await this.service.write(manager, definition);
        await deleteEdit(manager, edit);
        await this.service.deleteForm(manager, edit.copySlug ?? '');
        return { formId: edit.formId, version };
      } catch (error) {
        throw asHttpError(error, 'Nothing is published');
      }
    });
  }

  /** Deletes the copy. Returns the id of the live form, or null if it was deleted. */
  discard(actor: string | undefined, id: number): Promise<number | null> {
    return this.service.transaction(actor, async (manager) => {
      const edit = await lockEdit(manager, id);
      if (edit === undefined) throw new HttpError(409, ENDED);
      await checkReleased(manager, 'form_id', [edit.copyId]);
      await deleteEdit(manager, edit);
      if (edit.copySlug !== null) await this.service.deleteForm(manager, edit.copySlug);
      return edit.slug === null ? null : edit.formId;
    });
  }

  /**
   * Makes a new copy of the live form as it is now. The old copy stays as an inactive form of its own, so that its changes can be repeated.
   */
  prepareAgain(actor: string | undefined, copyId: number): Promise<{ copyId: number; keptAs: string }> {
    return this.service.transaction(actor, async (manager) => {
      const edit = await lockWhole(manager, copyId);
      const keptAs = `${edit.name} (changes from version ${edit.begunVersion})`.slice(0, 255);
      await manager.query('update forms set name = $2 where id = $1', [copyId, keptAs]);
      await deleteEdit(manager, edit);
      const form = await lockForm(manager, edit.formId);
      return { copyId: await this.begin(manager, actor, edit.formId, form), keptAs };
    });
  }

  /** Makes the copy a form of its own, because its live form was deleted. */
  keep(actor: string | undefined, copyId: number): Promise<void> {
    return this.service.transaction(actor, async (manager) => {
      const edit = await lockEdit(manager, copyId);
      if (edit === undefined) throw new HttpError(409, ENDED);
      if (edit.slug !== null)
        throw new HttpError(409, 'The live form is still there. Publish these changes, or discard them.');
      await deleteEdit(manager, edit);
    });
  }

  private async begin(
    manager: EntityManager,
    actor: string | undefined,
    formId: number,
    { slug, name, version }: FormRow,
  ): Promise<number> {
    const definition = await this.service.find(manager, slug);
    if (definition === undefined) throw new Error(`There is no form with the slug ${slug}.`);
    const copy = await writeCopy(this.service, manager, definition, { slug: slugOfEdit(slug), name });
    const begun = { formId, copyId: copy.id, definition, begunVersion: version, begunBy: actor ?? null };
    await insertEdit(manager, begun);
    return copy.id;
  }
}

const ENDED = 'These changes have been published or discarded meanwhile.';

/** @throws HttpError if the edit, its live form or its copy is gone */
async function lockWhole(manager: EntityManager, copyId: number): Promise<PreparedEdit> {
  const edit = await lockEdit(manager, copyId);
  if (edit === undefined) throw new HttpError(409, ENDED);
  if (edit.slug === null)
    throw new HttpError(
      409,
      'The live form has been deleted. Keep these changes as a form of their own, or discard them.',
    );
  if (edit.copySlug === null) throw new HttpError(409, 'The copy with these changes has been deleted.');
  return edit;
}

async function lockForm(manager: EntityManager, id: number): Promise<FormRow> {
  const [form] = await manager.query<FormRow[]>(
    'select slug, name, version from forms where id = $1 for update',
    [id],
  );
  if (form === undefined) throw new HttpError(404, 'The form has been deleted.');
  return form;
}
