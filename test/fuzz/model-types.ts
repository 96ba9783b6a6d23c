import type { ExtendedForm } from '../../src/forms/dto/form.response.js';
import type {
  ConditionResponse,
  EntityResponse,
  ExtendedField,
  FormSchemaResponse,
  StepResponse,
} from '../../src/forms/dto/form-schema.response.js';
import type { Sender } from './request-plans.js';

/** A form as the service publishes it. */
export interface ModelForm {
  /** The setting of the service under test (C5). */
  readonly hiddenValues: 'keep' | 'ignore';
  readonly form: ExtendedForm;
  readonly schema: FormSchemaResponse;
}

export type ModelStep = StepResponse;
export type ModelEntity = EntityResponse;
export type ModelField = ExtendedField;
export type PublishedCondition = ConditionResponse;

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
  locale: string | null;
  /** Keyed by field, and by record if the field is repeatable (V5). */
  readonly values: Map<string, StoredValue>;
}
