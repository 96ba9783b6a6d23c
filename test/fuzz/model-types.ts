import type { PublishedCondition } from './model-conditions.js';
import type { Who } from './request-plans.js';

/** A form as the service publishes it. */
export interface ModelForm {
  /** Of the service that is asked (C5). */
  readonly hiddenValues: 'keep' | 'ignore';
  readonly form: {
    readonly id: number;
    readonly uuid: string;
    readonly name: string;
    readonly slug: string;
    readonly is_active: boolean;
    readonly completion: 'strict' | 'lenient' | null;
  };
  readonly schema: {
    readonly time_zone: string | null;
    readonly steps: readonly { readonly step_number: number; readonly fields: readonly ModelField[] }[];
    readonly entities: readonly ModelEntity[];
  };
}

export interface ModelEntity {
  readonly name: string;
  readonly is_repeatable: boolean;
  readonly min_records: number | null;
  readonly max_records: number | null;
}

export interface ModelField {
  readonly id: number;
  readonly code: string;
  readonly is_required: boolean;
  readonly is_repeatable: boolean;
  /** By name; null: of none. */
  readonly entity: string | null;
  readonly field_type: { readonly component: string };
  readonly conditions: readonly PublishedCondition[];
  readonly rules: readonly {
    readonly kind: string;
    readonly value: string;
    readonly message: string | null;
  }[];
}

export interface StoredValue {
  readonly field_id: number;
  readonly field_code: string;
  readonly value: string;
  readonly entity_record_id: number | null;
}

/** As it is published (R5). */
export interface ModelRecord {
  readonly id: number;
  readonly entity: string;
  readonly created_at: string;
}

export interface ModelSubmission {
  readonly uuid: string;
  readonly owner: Who;
  readonly form: ModelForm;
  readonly createdAt: string;
  /** Of every state so far, without quotes: each is the `updated_at` of that state. */
  readonly etags: string[];
  /** By id. */
  readonly records: ModelRecord[];
  status: 'draft' | 'completed';
  currentStep: number;
  meta: unknown;
  /** By the place of the value (V5). */
  readonly values: Map<string, StoredValue>;
}
