import { isBlank } from '../../conditions/engine/index.js';
import { todayIn } from '../../forms/field-rules/today.js';
import { definitionOf, FILE_COMPONENT } from '../../forms/field-types.js';
import { listReader } from '../../forms/option-list.js';
import { quote, type Report } from './definition-error.js';
import { type DefinedField, fieldsOf, type FormDefinition } from './form-definition.js';
import { conditionLinter } from './lint-conditions.js';
import { type Container, conditionalContainers, lintCycles } from './lint-cycles.js';
import { lintFormula } from './lint-formulas.js';
import { lintKeeping, lintPersonal } from './lint-personal.js';
import { lintRules } from './lint-rules.js';
import { lintTranslations } from './lint-translations.js';
import { whyNeverVisible } from './never-visible.js';

/**
 * Reports parts of a definition that an import accepts but that are probably mistakes. Each warning is true for all possible
 * values, provided that fields with options have only their options as values.
 */
export function lintForm(definition: FormDefinition, report: Report): void {
  const fields = fieldsOf(definition);
  const fieldsByCode = new Map(fields.map(({ field }) => [field.code, field]));
  const repeatable = new Set<string | undefined>(
    definition.entities.filter(({ is_repeatable }) => is_repeatable).map(({ name }) => name),
  );
  const today = todayIn(definition.time_zone ?? null);
  const lintConditions = conditionLinter(fieldsByCode, today, report);
  const containers = conditionalContainers(definition);
  const hidden = new Set<Container>();
  for (const container of containers) {
    lintConditions(container.conditions, container.path);
    const why = whyNeverVisible(container, fieldsByCode);
    if (why === undefined) continue;
    hidden.add(container);
    report(container.path, `${container.name} can never be visible, because ${why}; change its conditions`);
  }
  const hiddenCodes = new Set([...hidden].flatMap((container) => container.codes));
  const visible = new Set<string>();
  for (const { field, path } of fields) {
    if (field.retired === true) continue;
    lintConditions(field.conditions, path);
    lintRules(field, path, fieldsByCode, today, report);
    lintFormula(field, path, fieldsByCode, report);
    lintOptions(field, path, report);
    lintSelections(field, path, report);
    lintFiles(field, path, report);
    lintPlaces(field, path, report);
    lintExclusive(field, path, report);
    lintPersonal(field, path, fieldsByCode, report);
    if (!field.is_repeatable && repeatable.has(field.entity)) {
      const why = `the entity ${quote(field.entity ?? '')} is repeatable, and all of its records would share one value`;
      report(`${path}.is_repeatable`, `should be true, because ${why}`);
    }
    const why = whyNeverVisible(field, fieldsByCode);
    if (why === undefined && !hiddenCodes.has(field.code)) visible.add(field.code);
    if (why !== undefined)
      report(path, `${quote(field.code)} can never be visible, because ${why}; change its conditions`);
  }
  lintMinRecords(definition, visible, report);
  lintProofOfWork(definition, report);
  lintKeeping(definition, report);
  lintCycles(fields, containers, report);
  lintTranslations(definition, report);
}

/** Reports each `min_records` that completion never enforces (C14), or whose records have no fields to fill in (R3). */
function lintMinRecords(
  definition: FormDefinition,
  visible: Pick<ReadonlySet<string>, 'has'>,
  report: Report,
): void {
  for (const [index, { name, min_records = 0 }] of definition.entities.entries()) {
    if (min_records === 0) continue;
    const own = fieldsOf(definition).flatMap(({ field }) =>
      field.entity === name && field.retired !== true ? [field] : [],
    );
    const path = `entities[${index}].min_records`;
    if (own.length === 0) report(path, 'requires records, but no field has this entity; add such a field');
    else if (!own.some(({ code }) => visible.has(code)))
      report(path, 'has no effect, because no field of the entity can ever be visible');
    else if (!own.some(({ is_repeatable }) => is_repeatable))
      report(path, 'requires records, but no field of the entity is repeatable; make one repeatable');
  }
}

/** Reports a proof of work that nobody is asked for, because only public forms have respondents (P7). */
function lintProofOfWork({ access, proof_of_work }: FormDefinition, report: Report): void {
  if (proof_of_work !== undefined && access !== 'public')
    report('proof_of_work', 'has no effect, because the form is not public; set "access" to "public"');
}

/** Reports checkbox options that read like a selection of several options, because both are stored as the same text. */
function lintSelections({ field_type: { component }, options }: DefinedField, path: string, report: Report) {
  if (definitionOf(component).holds !== 'options') return;
  const read = listReader(options.map(({ value }) => value));
  for (const [index, { value }] of options.entries()) {
    if (read(value) !== 'several') continue;
    const why = `a checkbox joins its options with commas, and ${quote(value)} reads like several options too`;
    report(
      `${path}.options[${index}].value`,
      `makes stored values ambiguous, because ${why}; use option values without commas`,
    );
  }
}

/** Reports blank options (J7), except an empty value, which deliberately means "no value". */
function lintOptions({ options }: DefinedField, path: string, report: Report): void {
  for (const [index, { value }] of options.entries())
    if (value !== '' && isBlank(value))
      report(`${path}.options[${index}].value`, 'is blank, so strict completion treats it as no value');
}

/** Reports places on fields that hold no choices (D6). */
function lintPlaces(field: DefinedField, path: string, report: Report): void {
  const { component } = field.field_type;
  if (['option', 'options'].includes(definitionOf(component).holds)) return;
  for (const [index, { places }] of field.options.entries())
    if (places !== undefined && places !== null)
      report(
        `${path}.options[${index}].places`,
        `has no effect, because a ${quote(component)} holds no choices; remove it`,
      );
}

/** Reports choices that exclude others in a field that holds one choice or none (J12). */
function lintExclusive(
  { field_type: { component }, options }: DefinedField,
  path: string,
  report: Report,
): void {
  if (definitionOf(component).holds === 'options') return;
  for (const [index, { is_exclusive }] of options.entries())
    if (is_exclusive === true)
      report(
        `${path}.options[${index}].is_exclusive`,
        `has no effect, because a ${quote(component)} does not hold several choices; remove it`,
      );
}

/** Reports limits for files on fields that hold no files (U5). */
function lintFiles(field: DefinedField, path: string, report: Report): void {
  const { component } = field.field_type;
  if (component === FILE_COMPONENT) return;
  for (const key of ['max_bytes', 'accept'] as const)
    if (field[key] !== undefined)
      report(`${path}.${key}`, `has no effect, because a ${quote(component)} holds no files; remove it`);
}
