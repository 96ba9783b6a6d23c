import type { ActionContext, ActionRequest, BaseRecord, RecordActionResponse } from 'adminjs';
import { Form } from 'formtrail-entities';
import type { DataSource } from 'typeorm';
import { asSignedIn } from '../adapter/as-signed-in.js';
import { lockUnchanged } from '../adapter/lock-form.js';
import type { PublishingJson, ShareJson } from '../components/publishing/publishing-json.js';
import { HttpError } from '../errors.js';
import { checkForm } from './check-list.js';
import { asHttpError, proposeCopy, writeCopy } from './copies.js';
import { editJson, publicationOf } from './edit-json.js';
import { Edits } from './edits.js';
import { findEdit } from './prepared-edits.js';
import type { ServiceDefinitions } from './service-definitions.js';

/** The service's definitions and addresses, as the panel was started with. */
export interface PublishingOptions {
  readonly definitions: ServiceDefinitions;
  /** Address at which clients reach the service. Undefined: unknown. */
  readonly serviceUrl: string | undefined;
  readonly rendererUrl: string | undefined;
}

type Response = RecordActionResponse & Readonly<Record<string, unknown>>;

/** A request that acts on the form of its record. */
interface Act {
  readonly id: number;
  readonly actor: string | undefined;
  readonly context: ActionContext;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Answers a GET with `read`, and a POST with `write`. */
interface Work {
  readonly read?: (act: Act) => Promise<Readonly<Record<string, unknown>>>;
  readonly write?: (act: Act) => Promise<Partial<RecordActionResponse>>;
}

export function publishingActions(dataSource: DataSource, options: PublishingOptions) {
  const { definitions, serviceUrl, rendererUrl } = options;
  const { manager } = dataSource;
  const edits = new Edits(definitions);

  const handler =
    ({ read, write }: Work) =>
    async (request: ActionRequest, _: unknown, context: ActionContext): Promise<Response> => {
      const record = context.record as BaseRecord;
      const shown = { record: record.toJSON(context.currentAdmin) };
      const payload = (request.payload ?? {}) as Act['payload'];
      const act = { id: Number(record.id()), actor: context.currentAdmin?.email, context, payload };
      try {
        if (request.method === 'post') return { ...shown, ...(await write?.(act)) };
        return { ...shown, ...(await read?.(act)) };
      } catch (error) {
        throw asHttpError(error, 'Nothing is changed');
      }
    };

  const formPage = (formId: number, actionName = 'show') =>
    `/admin/resources/forms/records/${formId}/${actionName}`;
  const success = (message: string, redirectUrl: string): Partial<RecordActionResponse> => ({
    redirectUrl,
    notice: { message, type: 'success' },
  });

  const makeLive = handler({
    read: async ({ id }) => ({ checkList: await checkForm(definitions, manager, id) }),
    write: async ({ id, context, payload }) => {
      await asSignedIn(dataSource, context, async (transaction) => {
        if (!(await lockUnchanged(transaction, id, versionIn(payload))))
          throw new HttpError(409, 'Somebody has changed this form meanwhile. Check it again.');
        const edit = await findEdit(transaction, id);
        if (edit?.copyId === id)
          throw new HttpError(
            409,
            edit.slug === null
              ? 'Keep this copy as a form of its own first.'
              : 'A copy with prepared changes cannot be made live. Publish the changes instead.',
          );
        const { questions } = await checkForm(definitions, transaction, id);
        if (questions === 0) throw new HttpError(409, 'The form has no question yet.');
        await transaction.update(Form, id, { isActive: true });
      });
      return success('The form is live.', formPage(id, 'share'));
    },
  });

  const share = handler({
    read: async ({ id }) => {
      const { slug, uuid, access } = await manager.findOneByOrFail(Form, { id });
      const pageUrl = rendererUrl === undefined ? null : `${rendererUrl}#/forms/${slug}`;
      return { share: { slug, uuid, access, serviceUrl: serviceUrl ?? null, pageUrl } satisfies ShareJson };
    },
  });

  const copy = handler({
    read: async ({ id }) => ({
      proposal: await proposeCopy(manager, await manager.findOneByOrFail(Form, { id })),
    }),
    write: async ({ id, actor, payload }) => {
      const names = { name: textIn(payload, 'name'), slug: textIn(payload, 'slug') };
      const { slug } = await manager.findOneByOrFail(Form, { id });
      const copied = await definitions.transaction(actor, async (transaction) => {
        const definition = await definitions.find(transaction, slug);
        if (definition === undefined) throw new HttpError(404, 'The form has been deleted.');
        if ((await definitions.find(transaction, names.slug)) !== undefined)
          throw new HttpError(409, 'Another form has this slug. Choose another one.');
        return writeCopy(definitions, transaction, definition, names);
      });
      return success('Copied. The copy is inactive.', formPage(copied.id));
    },
  });

  const prepare = handler({
    write: async ({ id, actor }) => {
      const { copyId, isNew } = await edits.prepare(actor, id);
      const message = isNew
        ? 'This is a copy for your changes. The live form stays as it is until you publish.'
        : 'Somebody has begun to prepare changes. You see their copy.';
      return success(message, formPage(copyId));
    },
  });

  const publish = handler({
    read: async ({ id }) => ({ publication: await publicationOf(definitions, manager, id) }),
    write: async ({ id, actor, payload }) => {
      const { formId, version } = await edits.publish(actor, id, versionIn(payload));
      return success(`Published as version ${version}.`, formPage(formId));
    },
  });

  const discard = handler({
    write: async ({ id, actor }) => {
      const formId = await edits.discard(actor, id);
      const page = formId === null ? '/admin/resources/forms' : formPage(formId);
      return success('The prepared changes are discarded.', page);
    },
  });

  const prepareAgain = handler({
    write: async ({ id, actor }) => {
      const { copyId, keptAs } = await edits.prepareAgain(actor, id);
      return success(
        `This is a new copy. The earlier one stays as the inactive form “${keptAs}”.`,
        formPage(copyId),
      );
    },
  });

  const keep = handler({
    write: async ({ id, actor }) => {
      await edits.keep(actor, id);
      return success('The copy is a form of its own now.', formPage(id));
    },
  });

  /** Adds what the page of a form says about its publication. */
  const withPublishing = async (response: RecordActionResponse): Promise<RecordActionResponse> => {
    const { id, isActive } = response.record.params as Form;
    const edit = await findEdit(manager, id);
    const json: PublishingJson = {
      formId: id,
      isActive,
      edit: edit === undefined ? null : editJson(edit, id),
    };
    response.record.params['publishing'] = JSON.stringify(json);
    return response;
  };

  return {
    handlers: { makeLive, share, copy, prepare, publish, discard, prepareAgain, keep },
    withPublishing,
  };
}

function versionIn({ version }: Act['payload']): number {
  if (Number.isInteger(Number(version)) && version !== '') return Number(version);
  throw new HttpError(400, 'Send the version of the form that you have seen.');
}

function textIn(payload: Act['payload'], key: string): string {
  const text = payload[key];
  if (typeof text === 'string' && text.trim() !== '') return text.trim();
  throw new HttpError(400, `Enter a ${key}.`);
}
