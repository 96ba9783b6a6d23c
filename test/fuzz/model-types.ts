import type { PublishedCondition } from './model-conditions.js';
import type { Sender } from './request-plans.js';

/** A form as the service publishes it. */
export interface ModelForm {
  /** The setting of the service under test (C5). */
  readonly hiddenValues: 'keep' | 'ignore';
  readonly form: {
    readonly id: number;
    readonly uuid: string;
    readonly name: string;
    readonly slug: string;
    readonly is_active: boolean;
    readonly access: 'token' | 'public';
    readonly completion: 'strict' | 'lenient' | null;
  };
  readonly schema: {
    readonly version: number;
    readonly time_zone: string | null;
    readonly steps: readonly ModelStep[];
    readonly entities: readonly ModelEntity[];
  };
}

export interface ModelStep {
  readonly step_number: number;
  readonly is_visible: boolean;
  readonly fields: readonly ModelField[];
  readonly conditions: readonly PublishedCondition[];
}

export interface ModelEntity {
  readonly name: string;
  readonly conditions: readonly PublishedCondition[];
  readonly is_repeatable: boolean;
  readonly min_records: number | null;
  readonly max_records: number | null;
}

export interface ModelField {
  readonly id: number;
  readonly code: string;
  readonly is_required: boolean;
  readonly is_repeatable: boolean;
  /** The name of the entity, or null. */
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

/** A record as the service publishes it (R5). */
export interface ModelRecord {
  readonly id: number;
  readonly entity: string;
  readonly created_at: string;
}

export interface ModelSubmission {
  readonly uuid: string;
  readonly owner: Sender;
  readonly form: ModelForm;
  readonly createdAt: string;
  /** ETags of all states so far, without quotes. Each is the `updated_at` of its state. */
  readonly etags: string[];
  /** Ordered by id. */
  readonly records: ModelRecord[];
  status: 'draft' | 'completed';
  currentStep: number;
  meta: unknown;
  /** Keyed by field, and by record if the field is repeatable (V5). */
  readonly values: Map<string, StoredValue>;
}
