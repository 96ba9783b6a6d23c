import { ApiClient } from 'adminjs';
import { useState } from 'react';
import { CODES, OPTION_VALUES, proposedName } from '../names.ts';
import type { EntityJson, FieldTypeJson, FormOutlineJson, StepJson } from './form-outline-json.ts';
import { namesIn } from './load-outline.ts';
import type { ShownIf } from './show-if.tsx';

interface Inputs {
  readonly label: string;
  /** The code that the person has typed. Undefined: the proposal. */
  readonly ownCode?: string;
  readonly type?: FieldTypeJson;
  readonly isRequired: boolean;
  /** Labels of options, one a line. */
  readonly options: string;
  /** Undefined: always shown. */
  readonly showIf?: ShownIf | undefined;
}

const EMPTY: Inputs = { label: '', isRequired: false, options: '' };

/** The inputs for a new field at the end of a step, and in a group. */
export function useNewField(
  outline: FormOutlineJson,
  { id: stepId }: StepJson,
  entity: EntityJson | undefined,
) {
  const [inputs, setInputs] = useState(EMPTY);
  const [errors, setErrors] = useState<readonly string[]>([]);
  const [isSaving, setSaving] = useState(false);
  const { label, ownCode, isRequired, options, showIf } = inputs;
  const type = inputs.type ?? outline.fieldTypes[0];
  const code = ownCode ?? (label.trim() === '' ? '' : proposedName(label, CODES, namesIn(outline)));

  /** Returns whether the field was added. */
  const add = async (): Promise<boolean> => {
    const missing = [
      ...(type?.options === 'needed' && options.trim() === '' ? ['Enter at least one option.'] : []),
      ...(showIf?.value === '' ? ['Choose the answer for which to show the field.'] : []),
    ];
    if (missing.length > 0) {
      setErrors(missing);
      return false;
    }
    const data = {
      formId: String(outline.id),
      stepId: String(stepId),
      fieldTypeId: String(type?.id ?? ''),
      ...{ label: label.trim(), code, isRequired: String(isRequired) },
      ...(entity && { entityId: String(entity.id), isRepeatable: String(entity.isRepeatable) }),
      ...(type !== undefined && type.options !== 'none' && optionsIn(options)),
      ...(showIf && conditionOf(showIf)),
    };
    setSaving(true);
    const found = await save(data).catch(() => ['The change failed. Reload the page, and try again.']);
    setSaving(false);
    setErrors(found);
    if (found.length === 0) setInputs(EMPTY);
    return found.length === 0;
  };

  return {
    ...{ label, code, type, isRequired, options, showIf, errors, isSaving, add },
    change: (changes: Partial<Inputs>) => setInputs((current) => ({ ...current, ...changes })),
  };
}

/** Returns the messages of the panel if it rejects the field. */
async function save(data: Record<string, string>): Promise<string[]> {
  const action = { resourceId: 'fields', actionName: 'new', method: 'post' } as const;
  const { record, notice } = (await new ApiClient().resourceAction({ ...action, data })).data as {
    record: { errors: Record<string, { message: string }> };
    notice?: { type: string; message: string };
  };
  const messages = Object.values(record.errors).map(({ message }) => message);
  return messages.length === 0 && notice?.type === 'error' ? [notice.message] : messages;
}

function conditionOf({ fieldId, value }: ShownIf): Record<string, string> {
  return {
    'conditions.0.action': 'show',
    'conditions.0.dependsOnFieldId': String(fieldId),
    'conditions.0.operator': 'equals',
    'conditions.0.value': value,
  };
}

/** The properties of the options, with values that the labels propose. */
function optionsIn(text: string): Record<string, string> {
  const values = new Set<string>();
  const labels = text.split('\n').flatMap((line) => line.trim() || []);
  return Object.fromEntries(
    labels.flatMap((label, index) => {
      const value = proposedName(label, OPTION_VALUES, values);
      values.add(value);
      return [
        [`options.${index}.label`, label],
        [`options.${index}.value`, value],
      ];
    }),
  );
}
