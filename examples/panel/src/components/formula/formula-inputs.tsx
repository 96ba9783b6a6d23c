import { Box, Button, Icon, Input, Label } from '@adminjs/design-system';
import type { Formula, FormulaOp, FormulaOperand } from 'formtrail-entities';
import React, { type ChangeEvent } from 'react';
import { type Choice, ChoiceSelect } from '../choice-select.tsx';
import { SHOWN_OPS, UNCHOSEN, withOp } from '../formulas.js';
import { IconButton } from '../move-buttons.tsx';
import { OperandInput } from './operand-input.tsx';

interface FormulaInputsProps {
  /** Prefix of the ids of the inputs. */
  readonly id: string;
  readonly formula: Formula | undefined;
  /** 1 for a formula that is in no other one. */
  readonly depth: number;
  /** The field that the formula computes. */
  readonly fieldId: number;
  readonly onChange: (formula: Formula | undefined) => void;
}

const NOT_COMPUTED: Choice = { value: '', label: 'Not computed: people fill it in' };
const OPS = Object.entries(SHOWN_OPS).map(([value, { words }]) => ({ value, label: words }));

/** Puts a formula together from choices. */
export function FormulaInputs({ id, formula, depth, fieldId, onChange }: FormulaInputsProps) {
  return (
    <Box style={{ display: 'grid', gap: 8, minWidth: 0 }}>
      <ChoiceSelect
        id={id}
        {...(depth > 1 && { name: 'Calculation' })}
        choices={depth === 1 ? [NOT_COMPUTED, ...OPS] : OPS}
        value={formula?.op ?? ''}
        onChange={(op) => onChange(op === '' ? undefined : withOp(op as FormulaOp, formula))}
      />
      {formula && <Operands {...{ id, formula, depth, fieldId, onChange }} />}
    </Box>
  );
}

interface OperandsProps extends FormulaInputsProps {
  readonly formula: Formula;
}

function Operands({ id, formula, depth, fieldId, onChange }: OperandsProps) {
  const { operands, of: holds, has } = SHOWN_OPS[formula.op];
  const isList = typeof operands === 'string';
  const change = (of: readonly FormulaOperand[]) => onChange({ ...formula, of });
  return (
    <Box pl="default" style={{ display: 'grid', gap: 8, borderLeft: '2px solid #89939f', minWidth: 0 }}>
      {formula.of.map((operand, at) => {
        const name = isList ? `${operands} ${at + 1}` : (operands[at] ?? '');
        return (
          <Box key={at} role="group" aria-label={name} flex flexDirection="row" style={{ gap: 8 }}>
            <OperandInput
              {...{ id: `${id}.${at}`, name, operand, holds, depth, fieldId }}
              onChange={(changed) => change(formula.of.with(at, changed))}
            />
            {isList && formula.of.length > 1 && (
              <IconButton
                icon="Trash2"
                label={`Remove ${name}`}
                onPress={() => change(formula.of.toSpliced(at, 1))}
              />
            )}
          </Box>
        );
      })}
      {isList && (
        <div>
          <Button type="button" size="sm" onClick={() => change([...formula.of, UNCHOSEN])}>
            <Icon icon="Plus" />
            Add {operands.toLowerCase()}
          </Button>
        </div>
      )}
      {has === 'scale' && (
        <Setting
          id={`${id}.scale`}
          label="Decimal places"
          input={{ type: 'number', min: 0, max: 20 }}
          value={String(formula.scale ?? '')}
          onChange={(text) => onChange(withScale(formula, text))}
        />
      )}
      {has === 'with' && (
        <Setting
          id={`${id}.with`}
          label="Text between them"
          input={{ maxLength: 100 }}
          value={formula.with ?? ''}
          onChange={(text) => onChange({ ...formula, with: text })}
        />
      )}
    </Box>
  );
}

/** Without a number, the service rounds as late as possible. */
function withScale({ scale: _, ...formula }: Formula, text: string): Formula {
  return text === '' ? formula : { ...formula, scale: Number(text) };
}

interface SettingProps {
  readonly id: string;
  readonly label: string;
  readonly input: object;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function Setting({ id, label, input, value, onChange }: SettingProps) {
  return (
    <div>
      <Label htmlFor={id}>{label}</Label>
      <Input
        id={id}
        {...input}
        value={value}
        onChange={({ target }: ChangeEvent<HTMLInputElement>) => onChange(target.value)}
      />
    </div>
  );
}
