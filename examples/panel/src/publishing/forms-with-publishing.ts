import { type Action, type ActionContext, type ActionResponse, type After, ValidationError } from 'adminjs';
import type { DataSource, EntityManager } from 'typeorm';
import type { Cells } from '../adapter/cells.js';
import { COMPONENTS } from '../components.js';
import { listedWithout, type PanelResource } from '../panel-resource.js';
import { publishingActions, type PublishingOptions } from './actions.js';
import { findEdit, hasPreparedEdit, isPreparedCopy } from './prepared-edits.js';

/** With a button beside "Preview" on the page of the form. */
const IN_BAR = { custom: { inBar: true } } as const;
const HIDDEN = { actionType: 'record', isVisible: false, component: false } as const;
/** Copies with prepared changes are forms only until they are published. */
const WITHOUT_COPIES = { before: listedWithout('isPreparedCopy') };

const isCopy = ({ record }: ActionContext) => record?.get('isPreparedCopy') === true;
const isActive = ({ record }: ActionContext) => record?.get('isActive') === true;

/** Adds to the forms: going live, sharing, copies, and edits that are prepared in a copy. */
export function withPublishing(
  forms: PanelResource,
  dataSource: DataSource,
  publishing: PublishingOptions,
): PanelResource {
  const { handlers, withPublishing: addPublishing } = publishingActions(dataSource, publishing);
  const { resource, options } = forms;
  const { listProperties = [], filterProperties = [] } = options;
  const actions = (options.actions ?? {}) as Record<string, Partial<Action<ActionResponse>>>;
  const showAfter = [actions['show']?.after ?? []].flat();
  const page = (name: keyof typeof handlers, component: string, icon: string) => ({
    ...{ actionType: 'record' as const, handler: handlers[name], component, icon, showInDrawer: false },
  });
  return {
    ...forms,
    resource: {
      ...resource,
      computed: { ...resource.computed, isPreparedCopy, hasPreparedEdit },
      titleOf: ({ name, isPreparedCopy }) => `${String(name)}${isPreparedCopy ? ' (prepared changes)' : ''}`,
      check: async (manager, id, given) => {
        await rejectLiveCopy(manager, id, given);
        await resource.check?.(manager, id, given);
      },
    },
    labels: {
      ...forms.labels,
      isPreparedCopy: 'Copy with prepared changes',
      hasPreparedEdit: 'Changes prepared',
    },
    actions: {
      ...forms.actions,
      ...{ makeLive: 'Make it live', share: 'Share', copy: 'Copy', publish: 'Publish changes' },
    },
    options: {
      ...options,
      listProperties: [...listProperties, 'hasPreparedEdit'],
      filterProperties: [...filterProperties, 'hasPreparedEdit', 'isPreparedCopy'],
      actions: {
        ...actions,
        list: WITHOUT_COPIES,
        search: WITHOUT_COPIES,
        show: {
          ...actions['show'],
          // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- tsc needs it
          after: [...showAfter, addPublishing as unknown as After<ActionResponse>],
        },
        makeLive: {
          ...page('makeLive', COMPONENTS.MakeLive, 'Send'),
          ...IN_BAR,
          isAccessible: (context: ActionContext) => !isActive(context) && !isCopy(context),
        },
        share: { ...page('share', COMPONENTS.Share, 'Share2'), ...IN_BAR, isAccessible: isActive },
        copy: {
          ...page('copy', COMPONENTS.CopyForm, 'Copy'),
          isAccessible: (context: ActionContext) => !isCopy(context),
        },
        publish: { ...page('publish', COMPONENTS.Publish, 'Send'), isAccessible: isCopy },
        prepare: { ...HIDDEN, handler: handlers.prepare },
        discard: { ...HIDDEN, handler: handlers.discard },
        prepareAgain: { ...HIDDEN, handler: handlers.prepareAgain },
        keep: { ...HIDDEN, handler: handlers.keep },
        // Deleting the copy would lose the changes without saying so. The page of the copy has "Discard".
        delete: { ...actions['delete'], isAccessible: (context: ActionContext) => !isCopy(context) },
      },
    },
  };
}

/** The slug and whether a form is active belong to the live form. */
async function rejectLiveCopy(manager: EntityManager, id: number, given: Cells): Promise<void> {
  const edit = await findEdit(manager, id);
  if (edit?.copyId !== id || edit.slug === null) return;
  const reject = (property: string, message: string) => {
    throw new ValidationError({ [property]: { message } }, { message });
  };
  if (String(given['isActive']) === 'true')
    reject('isActive', 'A copy with prepared changes cannot be active. Publish the changes instead.');
  if (given['slug'] !== undefined && given['slug'] !== edit.copySlug)
    reject('slug', 'The slug of this copy is not published. Change the slug of the live form itself.');
}
