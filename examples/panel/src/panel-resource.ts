import type {
  ActionContext,
  ActionRequest,
  After,
  Before,
  LayoutElement,
  RecordActionResponse,
  ResourceOptions,
} from 'adminjs';
import type { EntitySource } from './adapter/entity-resource.js';

/** A table in the panel: its data, views and labels. */
export interface PanelResource {
  readonly resource: EntitySource;
  readonly options: ResourceOptions;
  /** Name in the navigation. */
  readonly name: string;
  /** Name of one record. */
  readonly record: string;
  /** Labels of properties, by their path. */
  readonly labels: Readonly<Record<string, string>>;
  /** Labels of actions, if they differ from those of AdminJS. */
  readonly actions?: Readonly<Record<string, string>>;
  readonly messages?: Readonly<Record<string, string>>;
}

export const DISABLED = { isAccessible: false } as const;

/** Lists show the column on narrow screens, too. AdminJS deprecates this option for titles, but has no other for lists. */
export const ON_NARROW_SCREENS = { isTitle: true } as const;

/** The layout of a page: headings with the properties below them. */
export const sections = (properties: Readonly<Record<string, readonly string[]>>): LayoutElement[] =>
  Object.entries(properties).flatMap(([heading, names]) => [
    ['@H4', { as: 'h3', className: 'form-section', children: heading }],
    ...names,
  ]);

/** Lists rows for which `property` is true only if the filter asks for them. */
export const listedWithout =
  (property: string): Before =>
  (request: ActionRequest) => ({
    ...request,
    query: { [`filters.${property}`]: 'false', ...request.query },
  });

/** Replaces empty inputs by null, because AdminJS turns an empty number into 0. */
export const emptyIsNull: Before = (request: ActionRequest) => ({
  ...request,
  payload: Object.fromEntries(
    Object.entries(request.payload ?? {}).map(([path, value]) => [path, value === '' ? null : value]),
  ),
});

/** Redirects to the form instead of the list, because the form shows the change. */
export const toForm =
  (property: 'id' | 'formId'): After<RecordActionResponse> =>
  (response: RecordActionResponse, _: ActionRequest, { h }: ActionContext) => {
    if (!response.redirectUrl) return response;
    const recordId = String(response.record.params[property]);
    return {
      record: response.record,
      redirectUrl: h.recordActionUrl({ resourceId: 'forms', recordId, actionName: 'show' }),
    };
  };
