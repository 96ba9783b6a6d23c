import type {
  ActionContext,
  ActionRequest,
  After,
  Before,
  RecordActionResponse,
  ResourceOptions,
} from 'adminjs';
import type { EntitySource } from './adapter/entity-resource.js';

/** A table in the panel: its data, how it is shown, and what it is called. */
export interface PanelResource {
  readonly resource: EntitySource;
  readonly options: ResourceOptions;
  /** In the navigation. */
  readonly name: string;
  /** Of properties, by their path. */
  readonly labels: Readonly<Record<string, string>>;
  /** Of actions that are called otherwise than usual. */
  readonly actions?: Readonly<Record<string, string>>;
  readonly messages?: Readonly<Record<string, string>>;
}

export const NOBODY = { isAccessible: false } as const;

/** AdminJS would take an empty number for 0. */
export const emptyIsNull: Before = (request: ActionRequest) => ({
  ...request,
  payload: Object.fromEntries(
    Object.entries(request.payload ?? {}).map(([path, value]) => [path, value === '' ? null : value]),
  ),
});

/** Back to the form, instead of the list; what became of it is to be seen there. */
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
