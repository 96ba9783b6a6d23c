import { DISPLAY_COMPONENTS } from '../field-types.js';
import type { ReportChange } from './form-changes.js';
import {
  type DefinedCondition,
  type DefinedEntity,
  type DefinedField,
  type DefinedStep,
  fieldsOf,
  type FormDefinition,
} from './form-definition.js';

/** A form before or after a change, as its parts are compared. */
export class FormState {
  readonly fields: readonly DefinedField[];
  /** The step of each field. */
  readonly stepOf = new Map<DefinedField, DefinedStep>();
  private readonly retiredCodes: ReadonlySet<string>;

  constructor(readonly definition: FormDefinition) {
    for (const step of definition.steps) for (const field of step.fields) this.stepOf.set(field, step);
    this.fields = fieldsOf(definition).map(({ field }) => field);
    this.retiredCodes = new Set(this.fields.filter(({ retired }) => retired).map(({ code }) => code));
  }

  /** Leaves out conditions on retired fields, which have no effect (N6). */
  effective(conditions: readonly DefinedCondition[]): DefinedCondition[] {
    return conditions.filter(({ depends_on_field_code: code }) => !this.retiredCodes.has(code));
  }

  /** Whether completion can require a value of the field. */
  canBeRequired({ retired, field_type, is_required, conditions }: DefinedField): boolean {
    if (retired || DISPLAY_COMPONENTS.has(field_type.component)) return false;
    return is_required || this.effective(conditions).some(({ action }) => action === 'require');
  }

  /** The requirement that completion can have in a step. Undefined: none. */
  requirementOfStep({ fields }: DefinedStep): string | undefined {
    return fields.some((field) => this.canBeRequired(field)) ? 'it has required fields' : undefined;
  }

  requirementOfEntity({ name, min_records = 0 }: DefinedEntity): string | undefined {
    if (min_records > 0) return 'it needs records';
    const isRequired = this.fields.some((field) => field.entity === name && this.canBeRequired(field));
    return isRequired ? 'it has required fields' : undefined;
  }
}

/** The two states of a form that are compared, and the function that collects the changes. */
export interface Comparison {
  readonly old: FormState;
  readonly now: FormState;
  readonly report: ReportChange;
}
