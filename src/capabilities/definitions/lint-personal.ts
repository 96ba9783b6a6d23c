import { counted } from '../../cli/output.js';
import { operandsOf } from '../../conditions/engine/index.js';
import { definitionOf, FILE_COMPONENT } from '../../forms/field-types.js';
import { quote, type Report } from './definition-error.js';
import { type DefinedField, fieldsOf, type FormDefinition } from './form-definition.js';

/** Reports a field that should be personal, or that cannot be (T4). */
export function lintPersonal(
  field: DefinedField,
  path: string,
  fieldsByCode: ReadonlyMap<string, DefinedField>,
  report: Report,
): void {
  const { component } = field.field_type;
  const at = `${path}.is_personal`;
  if (field.is_personal === true) {
    if (!holdsAnswers(field))
      report(at, `has no effect, because a ${quote(component)} holds no answers; remove it`);
    return;
  }
  const personal = whyPersonal(field);
  if (personal !== undefined) {
    report(at, `should be true, because ${personal}; set it, so that keep_personal_days deletes them`);
    return;
  }
  const isPersonal = (code: string) => fieldsByCode.get(code)?.is_personal === true;
  const used = field.computed && operandsOf(field.computed).find(isPersonal);
  if (used === undefined) return;
  const why = `the formula uses ${quote(used)}, which is personal`;
  report(at, `should be true, because ${why}; set it, so that keep_personal_days deletes the result too`);
}

/** Reports a time for which personal answers are kept that never deletes any (T4). */
export function lintKeeping(definition: FormDefinition, report: Report): void {
  const { keep_personal_days: personal, keep_completed_days: completed } = definition;
  if (personal == null) return;
  const path = 'keep_personal_days';
  if (!fieldsOf(definition).some(({ field }) => field.is_personal === true && holdsAnswers(field)))
    report(
      path,
      'has no effect, because no field is personal; set "is_personal" of a field to true, or remove it',
    );
  else if (completed != null && personal >= completed) {
    const why = `keep_completed_days deletes the whole submission after ${counted(completed, 'day')}`;
    report(path, `has no effect, because ${why}; set it to fewer days, or remove it`);
  }
}

const holdsAnswers = ({ field_type: { component } }: DefinedField) =>
  definitionOf(component).holds !== 'nothing';

function whyPersonal({ field_type: { component } }: DefinedField): string | undefined {
  if (component === FILE_COMPONENT) return 'files often contain personal data';
  return definitionOf(component).holds === 'email' ? 'email addresses are personal data' : undefined;
}
