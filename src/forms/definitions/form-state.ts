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
import { neverMet } from './never-met.js';

/** The conditions of a field, step or entity, and what retired fields do to them (N6). */
export interface Judged {
  readonly conditions: readonly DefinedCondition[];
  /** The conditions that are never met. */
  readonly neverMet: ReadonlySet<DefinedCondition>;
  /** The codes of the retired fields that conditions test. */
  readonly retired: readonly string[];
}

/** A form before or after a change, as its parts are compared. */
export class FormState {
  readonly fields: readonly DefinedField[];
  /** The step of each field. */
  readonly stepOf = new Map<DefinedField, DefinedStep>();
  private readonly liveCodes: ReadonlySet<string>;

  /** `newCodes`: the codes by which the other state names the fields. */
  constructor(
    readonly definition: FormDefinition,
    private readonly newCodes: ReadonlyMap<string, string> = new Map(),
  ) {
    for (const step of definition.steps) for (const field of step.fields) this.stepOf.set(field, step);
    this.fields = fieldsOf(definition).map(({ field }) => field);
    this.liveCodes = new Set(this.fields.filter(({ retired }) => !retired).map(({ code }) => code));
  }

  /** A schema has no retired fields, so a tested field that is missing is retired too. */
  judged(conditions: readonly DefinedCondition[]): Judged {
    const isRetired = (code: string) => !this.liveCodes.has(code);
    const dead = neverMet(conditions, isRetired);
    const tested = new Set(conditions.map(({ depends_on_field_code: code }) => code));
    const newCode = (code: string) => this.newCodes.get(code) ?? code;
    const renamed = new Map(
      conditions.map((condition) => {
        const code = condition.depends_on_field_code;
        return [condition, { ...condition, depends_on_field_code: newCode(code) }];
      }),
    );
    return {
      conditions: [...renamed.values()],
      neverMet: new Set([...dead].flatMap((condition) => renamed.get(condition) ?? [])),
      retired: [...tested].filter(isRetired).map(newCode).sort(),
    };
  }

  /** Whether completion can require a value of the field. */
  canBeRequired({ retired, field_type, is_required, conditions }: DefinedField): boolean {
    if (retired || DISPLAY_COMPONENTS.has(field_type.component)) return false;
    if (is_required) return true;
    const { conditions: own, neverMet } = this.judged(conditions);
    return own.some((condition) => condition.action === 'require' && !neverMet.has(condition));
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
