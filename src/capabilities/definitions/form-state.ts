import { definitionOf } from '../../forms/field-types.js';
import type { ReportChange } from './form-changes.js';
import {
  type DefinedCondition,
  type DefinedEntity,
  type DefinedField,
  type DefinedStep,
  fieldsOf,
  type FormDefinition,
} from './form-definition.js';
import type { NewSteps } from './match-steps.js';
import { codesIn, neverMet } from './never-met.js';

/** The conditions of a field, step or entity, and what retired fields do to them (N6). */
export interface JudgedConditions {
  readonly conditions: readonly DefinedCondition[];
  readonly neverMet: ReadonlySet<DefinedCondition>;
  /** The codes of the retired fields that conditions test, or compare with. */
  readonly retired: readonly string[];
}

/** A form before or after a change, as its parts are compared. */
export class FormState {
  readonly fields: readonly DefinedField[];
  readonly stepOf = new Map<DefinedField, DefinedStep>();
  private readonly liveCodes: ReadonlySet<string>;
  private readonly neededEntities: ReadonlySet<string>;

  /** `newCodes`: the codes by which the other state names the fields. */
  constructor(
    readonly definition: FormDefinition,
    private readonly newCodes: ReadonlyMap<string, string> = new Map(),
  ) {
    for (const step of definition.steps) for (const field of step.fields) this.stepOf.set(field, step);
    this.fields = fieldsOf(definition).map(({ field }) => field);
    this.liveCodes = new Set(this.fields.filter(({ retired }) => !retired).map(({ code }) => code));
    this.neededEntities = new Set(
      definition.entities.filter(({ min_records = 0 }) => min_records > 0).map(({ name }) => name),
    );
  }

  /** A schema has no retired fields, so a field that it names but does not have is retired too. */
  isRetired = (code: string): boolean => !this.liveCodes.has(code);

  /** The code by which the other state names a field. */
  newCode = (code: string): string => this.newCodes.get(code) ?? code;

  judged(conditions: readonly DefinedCondition[]): JudgedConditions {
    const { isRetired, newCode } = this;
    const dead = neverMet(conditions, isRetired);
    const tested = new Set(conditions.flatMap(codesIn));
    const renamed = new Map(
      conditions.map((condition) => {
        const { depends_on_field_code: code, value_field } = condition;
        const compared = value_field !== undefined && { value_field: newCode(value_field) };
        return [condition, { ...condition, depends_on_field_code: newCode(code), ...compared }];
      }),
    );
    return {
      conditions: [...renamed.values()],
      neverMet: new Set([...dead].flatMap((condition) => renamed.get(condition) ?? [])),
      retired: [...tested].filter(isRetired).map(newCode).sort(),
    };
  }

  /** Whether completion can require a value of the field. Fields on an invisible step are never required (C13). */
  canBeRequired(field: DefinedField): boolean {
    const { retired, field_type, is_required, conditions } = field;
    if (retired || definitionOf(field_type.component).holds === 'nothing') return false;
    if (this.stepOf.get(field)?.is_visible === false) return false;
    if (is_required) return true;
    const { conditions: own, neverMet } = this.judged(conditions);
    return own.some((condition) => condition.action === 'require' && !neverMet.has(condition));
  }

  /** The requirement that completion can have in a step. Undefined: none. */
  requirementOfStep({ is_visible, fields }: DefinedStep): string | undefined {
    if (fields.some((field) => this.canBeRequired(field))) return 'it has required fields';
    const needsRecords = fields.some(({ entity }) => this.neededEntities.has(entity ?? ''));
    return is_visible && needsRecords ? 'it has fields of an entity that needs records' : undefined;
  }

  requirementOfEntity({ name, min_records = 0 }: DefinedEntity): string | undefined {
    if (min_records > 0 && this.canNeedRecords(name)) return 'it needs records';
    const isRequired = this.fields.some((field) => field.entity === name && this.canBeRequired(field));
    return isRequired ? 'it has required fields' : undefined;
  }

  /** Whether completion can ask for records of the entity: not if all of its fields are on invisible steps (C13). */
  canNeedRecords(name: string): boolean {
    const own = this.fields.filter(({ entity, retired }) => entity === name && !retired);
    return own.length === 0 || own.some((field) => this.stepOf.get(field)?.is_visible !== false);
  }
}

/** The two states of a form that are compared, and the function that collects the changes. */
export interface Comparison {
  readonly old: FormState;
  readonly now: FormState;
  /** The step of `now` that each step of `old` has become. */
  readonly newSteps: NewSteps;
  readonly report: ReportChange;
}
