import { Box, Button, Icon, Input, Label, Text } from '@adminjs/design-system';
import React, { type ChangeEvent, useEffect, useId } from 'react';
import type { TestedField, TestedStep } from '../tested-fields.js';
import { useLoadedSteps } from '../tested-steps.ts';
import type { FormOutlineJson, StepJson } from './form-outline-json.ts';

/** The answer for which a new field is shown. */
export interface ShownIf {
  readonly fieldId: number | undefined;
  readonly value: string;
}

interface ShowIfProps {
  readonly outline: FormOutlineJson;
  readonly step: StepJson;
  /** Undefined: always. */
  readonly shown: ShownIf | undefined;
  readonly onChange: (shown: ShownIf | undefined) => void;
}

/** A button that makes a new field depend on an answer. The page of the field has all conditions. */
export function ShowIf(props: ShowIfProps) {
  const { outline, shown, onChange } = props;
  if (outline.steps.every(({ fields }) => fields.length === 0)) return null;
  return (
    <Box>
      <Button
        type="button"
        size="sm"
        aria-expanded={shown !== undefined}
        onClick={() => onChange(shown ? undefined : { fieldId: undefined, value: '' })}
      >
        <Icon icon={shown ? 'X' : 'GitBranch'} />
        {shown ? 'Show always' : 'Show only if…'}
      </Button>
      {shown && <Test {...props} shown={shown} />}
    </Box>
  );
}

function Test({ outline, step, shown, onChange }: ShowIfProps & { readonly shown: ShownIf }) {
  const steps = useLoadedSteps(outline.id);
  const id = useId();
  const fields = steps.flatMap((one) => one.fields).filter(({ isRetired }) => !isRetired);
  const tested = fields.find((field) => field.id === shown.fieldId);
  useEffect(() => {
    const fieldId = likelyOne(outline, step, fields)?.id;
    if (shown.fieldId === undefined && fieldId !== undefined) onChange({ fieldId, value: '' });
  }, [steps]);

  return (
    <Box mt="default" style={{ display: 'grid', gap: 8 }}>
      <Box>
        <Label htmlFor={`${id}-field`}>If the answer to</Label>
        <Input
          as="select"
          id={`${id}-field`}
          width={1}
          value={shown.fieldId ?? ''}
          onChange={({ target }: ChangeEvent<HTMLSelectElement>) =>
            onChange({ fieldId: Number(target.value), value: '' })
          }
        >
          {steps.map((one) => (
            <FieldsOfStep key={one.title} step={one} />
          ))}
        </Input>
      </Box>
      {tested && tested.options.length > 0 ? (
        <Box role="group" aria-label="is" flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
          <style>{STYLES}</style>
          <Text as="span" color="grey60" fontSize="sm" py="default">
            is
          </Text>
          {tested.options.map(({ value, label }) => (
            <Box as="label" border="default" key={value} className="show-if-value">
              <input
                type="radio"
                name={`${id}-value`}
                checked={value === shown.value}
                onChange={() => onChange({ ...shown, value })}
              />
              <Text as="span">{label}</Text>
            </Box>
          ))}
        </Box>
      ) : (
        <Box>
          <Label htmlFor={`${id}-value`}>is</Label>
          <Input
            id={`${id}-value`}
            width={1}
            value={shown.value}
            onChange={({ target }: ChangeEvent<HTMLInputElement>) =>
              onChange({ ...shown, value: target.value })
            }
          />
        </Box>
      )}
    </Box>
  );
}

function FieldsOfStep({ step: { title, fields } }: { readonly step: TestedStep }) {
  return (
    <optgroup label={title}>
      {fields
        .filter(({ isRetired }) => !isRetired)
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
    </optgroup>
  );
}

/** The last question with options that comes before the new field, or any other question. */
function likelyOne({ steps }: FormOutlineJson, step: StepJson, fields: readonly TestedField[]) {
  const upToHere = steps.slice(0, steps.findIndex(({ id }) => id === step.id) + 1);
  const before = new Set(upToHere.flatMap((one) => one.fields).map(({ id }) => id));
  const choices = fields.filter(({ options }) => options.length > 0);
  return choices.findLast(({ id }) => before.has(id)) ?? choices[0] ?? fields[0];
}

const STYLES = `
  .show-if-value { display: flex; align-items: center; gap: 8px; min-height: 32px; padding: 0 12px; border-radius: 4px; }
`;
