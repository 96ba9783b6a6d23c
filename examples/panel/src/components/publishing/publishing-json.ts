import type { LimitsJson } from '../outline/form-outline-json.ts';

/** The state of publication, for the page of a form. */
export interface PublishingJson {
  readonly formId: number;
  readonly isActive: boolean;
  readonly edit: EditJson | null;
}

/** Changes of a live form that somebody prepares in a copy. */
export interface EditJson {
  readonly formId: number;
  readonly copyId: number;
  readonly isCopy: boolean;
  /** Name of the live form. Null: deleted. */
  readonly name: string | null;
  readonly isCopyDeleted: boolean;
  readonly begunBy: string | null;
  readonly begunAt: string;
  readonly begunVersion: number;
  /** The version that the live form has now. Null: deleted. */
  readonly version: number | null;
  /** The person who changed the copy last. Null: unknown, or nobody. */
  readonly changedBy: string | null;
  readonly changedAt: string | null;
}

export interface ChangeJson {
  readonly kind: 'breaking' | 'compatible';
  readonly message: string;
}

/** The data of the page that publishes prepared changes. */
export interface PublicationJson {
  readonly edit: EditJson;
  readonly copyVersion: number | null;
  /** The changes that publishing would make, or that were prepared if the live form has moved on. Null: the form or its copy was deleted. */
  readonly changes: readonly ChangeJson[] | null;
  /** The changes by others since the copy was made. */
  readonly changesSince: readonly ChangeJson[];
  readonly problems: readonly string[];
}

/** The list that a person checks before a form goes live. */
export interface CheckListJson {
  readonly version: number;
  readonly access: string;
  readonly questions: number;
  /** Titles of visible steps without a question. */
  readonly emptySteps: readonly string[];
  readonly findings: readonly FindingJson[];
  /** The further languages of the form, and how many texts each lacks. */
  readonly languages: readonly { readonly locale: string; readonly missing: number }[];
  /** When somebody last opened a preview. Null: never, or the preview has been deleted. */
  readonly previewedAt: string | null;
  readonly isPreviewCurrent: boolean;
  readonly limits: LimitsJson;
}

export interface FindingJson {
  /** The label of the field, or the title of the step. Empty: the whole form. */
  readonly place: string;
  /** Address of the page of the field. Null: it is not about a field. */
  readonly href: string | null;
  readonly message: string;
}

export interface ShareJson {
  readonly slug: string;
  readonly uuid: string;
  readonly access: string;
  /** Address of the service. Null: unknown. */
  readonly serviceUrl: string | null;
  /** Address of the form in the renderer. Null: the panel knows no renderer. */
  readonly pageUrl: string | null;
}
