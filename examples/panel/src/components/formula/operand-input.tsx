import { Box, Input, Label } from '@adminjs/design-system';
import type { FormulaOperand } from 'formtrail-entities';
import React, { type ChangeEvent } from 'react';
import { FieldSelect } from '../field-select.tsx';
import { UNCHOSEN, withOp } from '../formulas.js';
import { canHold, fieldsIn } from '../tested-fields.js';
import { useTestedSteps } from '../tested-steps.js';
import { FormulaInputs } from './formula-inputs.tsx';

/** Most levels of formulas in each other (K1). */
const MAX_DEPTH = 4;

type Kind = 'number' | 'date' | 'text';

interface OperandInputProps {
  readonly id: string;
  readonly name: string;
  readonly operand: FormulaOperand;
  /** The operands of the formula. */
  readonly holds: Kind;
  readonly depth: number;
  readonly fieldId: number;
  readonly onChange: (operand: FormulaOperand) => void;
}

const CONSTANTS: Readonly<Record<Kind, { readonly label: string; readonly input: object }>> = {
  number: { label: 'A number', input: { type: 'number', step: 'any' } },
  date: { label: 'A date', input: { type: 'date', min: '0001-01-01', max: '9999-12-31' } },
  text: { label: 'A text', input: {} },
};

/** Chooses a part of a formula: the answer to a field, a constant, today, or another formula. */
export function OperandInput({ id, name, operand, holds, depth, fieldId, onChange }: OperandInputProps) {
  const fields = fieldsIn(useTestedSteps());
  const constant = CONSTANTS[holds];
  const hasToday = holds !== 'number';
  const isToday = hasToday && typeof operand !== 'string' && 'value' in operand && operand.value === 'today';
  const chosen =
    typeof operand === 'string'
      ? String(fields.find(({ code }) => code === operand)?.id ?? '')
      : 'op' in operand
        ? 'formula'
        : isToday
          ? 'today'
          : 'value';
  const choose = (choice: string) => {
    if (choice === chosen) return;
    const field = fields.find((one) => String(one.id) === choice);
    if (choice === 'formula') onChange(withOp(holds === 'text' ? 'join' : 'sum'));
    else if (choice === 'value' || choice === 'today') onChange({ value: choice === 'today' ? choice : '' });
    else onChange(field?.code ?? UNCHOSEN);
  };
  return (
    <Box flexGrow={1} style={{ display: 'grid', gap: 8, minWidth: 0 }}>
      <div>
        <Label htmlFor={id}>{name}</Label>
        <FieldSelect
          id={id}
          chosen={chosen}
          first={[
            { value: 'value', label: constant.label },
            ...(hasToday ? [{ value: 'today', label: 'Today’s date' }] : []),
            // No formula computes a date.
            ...(depth < MAX_DEPTH && holds !== 'date' ? [{ value: 'formula', label: 'A calculation' }] : []),
          ]}
          offers={(field) => field.id !== fieldId && canHold(holds, field)}
          onChoose={choose}
        />
      </div>
      {chosen === 'value' && typeof operand !== 'string' && 'value' in operand && (
        <Input
          aria-label={`Value of ${name}`}
          required
          {...constant.input}
          value={operand.value}
          onChange={({ target }: ChangeEvent<HTMLInputElement>) => onChange({ value: target.value })}
        />
      )}
      {typeof operand !== 'string' && 'op' in operand && (
        <FormulaInputs
          {...{ id: `${id}.formula`, formula: operand, depth: depth + 1, fieldId }}
          onChange={(formula) => onChange(formula ?? UNCHOSEN)}
        />
      )}
    </Box>
  );
}
