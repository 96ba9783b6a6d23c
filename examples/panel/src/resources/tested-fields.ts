import { Field } from 'formtrail-entities';
import { plainText } from 'formtrail-session/markup';
import type { EntityManager } from 'typeorm';
import type { TestedOption, TestedStep } from '../components/tested-fields.js';
import { heldBy } from './components-of-fields.js';

/** A checkbox without options stores `true` if it is ticked. */
const TICKED: readonly TestedOption[] = [{ value: 'true', label: 'ticked' }];

/** Returns the fields of a form that hold a value, in the order of the form. */
export async function testedStepsOf(manager: EntityManager, formId: number): Promise<TestedStep[]> {
  const all = await manager.find(Field, {
    where: { formId },
    relations: { step: true, fieldType: true, options: true },
    order: { step: { stepNumber: 'asc' }, order: 'asc', id: 'asc', options: { order: 'asc', id: 'asc' } },
  });
  const fields = all.filter(({ fieldType }) => heldBy(fieldType.component) !== 'nothing');
  const steps = new Map(fields.map(({ step }) => [step.id, step]));
  const isShared = (label: string) => fields.filter((field) => field.label === label).length > 1;
  return [...steps.values()].map(({ id, title }) => ({
    title,
    fields: fields
      .filter(({ stepId }) => stepId === id)
      .map(({ id, code, label, fieldType, options, isRepeatable, entityId, retiredAt }) => ({
        ...{ id, code, isRepeatable, entityId, held: heldBy(fieldType.component) },
        name: !label ? code : isShared(label) ? `${plainText(label)} (${code})` : plainText(label),
        options:
          heldBy(fieldType.component) === 'options' && options.length === 0
            ? TICKED
            : options.map(({ value, label }) => ({ value, label: plainText(label) || value })),
        isRetired: retiredAt !== null,
      })),
  }));
}
