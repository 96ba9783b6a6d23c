import type { DataSource } from 'typeorm';
import { Condition } from '../../src/entities.js';
import type { BuiltForm } from './forms.js';

/** Shows a step (by its number) or an entity (by its id) only if the field has the value. */
export function showIf(
  { manager }: DataSource,
  { form, steps, fields }: BuiltForm,
  owner: { readonly step: number } | { readonly entityId: number },
  code: string,
  value: string,
): Promise<unknown> {
  return manager.insert(Condition, {
    formId: form.id,
    ...('step' in owner ? { stepId: steps[owner.step - 1]!.id } : owner),
    dependsOnFieldId: fields[code]!.id,
    operator: 'equals',
    value,
    action: 'show',
  });
}
