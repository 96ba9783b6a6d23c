import { Box, Input, Label, MessageBox, Text, TextArea } from '@adminjs/design-system';
import React, { type ChangeEvent, useRef, useState } from 'react';
import { TypeTiles } from '../type-tiles.tsx';
import type { EntityJson, FieldTypeJson, FormOutlineJson, StepJson } from './form-outline-json.ts';
import { NewPart } from './new-part.tsx';
import { Opener } from './opener.tsx';
import { ShowIf } from './show-if.tsx';
import { useNewField } from './use-new-field.ts';

interface AddFieldProps {
  readonly outline: FormOutlineJson;
  readonly step: StepJson;
  /** The repeating group to which the field belongs. */
  readonly entity?: EntityJson | undefined;
  readonly isOpenAtFirst?: boolean;
  readonly onAdded: () => Promise<void>;
}

/** A button that opens a form for new fields of a step or a group. */
export function AddField({ isOpenAtFirst = false, ...props }: AddFieldProps) {
  const place = props.entity?.label ?? props.step.title;
  return (
    <Opener label="Add a field" place={`to ${place}`} isOpenAtFirst={isOpenAtFirst}>
      <NewField {...props} place={place} />
    </Opener>
  );
}

function NewField({ outline, step, entity, place, onAdded }: AddFieldProps & { readonly place: string }) {
  const inputs = useNewField(outline, step, entity);
  const { label, code, type, isRequired, options, showIf, errors, isSaving, add, change } = inputs;
  const labelInput = useRef<HTMLInputElement>(null);
  const optionsInput = useRef<HTMLTextAreaElement>(null);
  const [added, setAdded] = useState('');
  const id = (name: string) => `new-field-${step.id}-${entity?.id ?? 'step'}-${name}`;

  const submit = async () => {
    if (!(await add())) return;
    await onAdded();
    setAdded(`Added “${label.trim()}”.`);
    labelInput.current?.focus();
  };

  /** After a click, the focus moves on to what the person types next. */
  const choose = (chosen: FieldTypeJson, isPointer: boolean) => {
    change({ type: chosen });
    if (!isPointer) return;
    if (label === '') labelInput.current?.focus();
    // After the next rendering, which shows the input.
    else if (chosen.options === 'needed') setTimeout(() => optionsInput.current?.focus());
  };

  return (
    <NewPart
      name={`New field in ${place}`}
      {...{ isSaving, added }}
      onSubmit={submit}
      beside={
        <Box as="label" flex flexDirection="row" alignItems="center" style={{ gap: 8, minHeight: 32 }}>
          <input type="checkbox" checked={isRequired} onChange={() => change({ isRequired: !isRequired })} />
          <Text as="span">Required</Text>
        </Box>
      }
    >
      {errors.length > 0 && <MessageBox role="alert" variant="danger" message={errors.join(' ')} />}
      <Box
        style={{
          display: 'grid',
          gap: 16,
          gridTemplateColumns: 'repeat(auto-fit, minmax(min(220px, 100%), 1fr))',
        }}
      >
        <Box>
          <Label htmlFor={id('label')}>Label</Label>
          <Input
            id={id('label')}
            ref={labelInput}
            width={1}
            required
            autoFocus
            value={label}
            onChange={({ target }: ChangeEvent<HTMLInputElement>) => change({ label: target.value })}
          />
        </Box>
        <Box>
          <Label htmlFor={id('code')}>Code</Label>
          <Input
            id={id('code')}
            width={1}
            required
            value={code}
            onChange={({ target }: ChangeEvent<HTMLInputElement>) => change({ ownCode: target.value })}
          />
        </Box>
      </Box>
      <TypeTiles name={id('type')} types={outline.fieldTypes} chosen={type?.id} onChoose={choose} />
      {type !== undefined && type.options !== 'none' && (
        <Box>
          <Label htmlFor={id('options')}>
            Options, one per line{type.options === 'possible' && ' (none: a single box, or a text)'}
          </Label>
          <TextArea
            id={id('options')}
            ref={optionsInput}
            width={1}
            rows={4}
            value={options}
            onChange={({ target }: ChangeEvent<HTMLTextAreaElement>) => change({ options: target.value })}
          />
        </Box>
      )}
      <ShowIf outline={outline} step={step} shown={showIf} onChange={(showIf) => change({ showIf })} />
    </NewPart>
  );
}
