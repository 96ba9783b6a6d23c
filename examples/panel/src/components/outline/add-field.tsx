import { Box, Button, Input, Label, MessageBox, Text, TextArea } from '@adminjs/design-system';
import React, { type ChangeEvent, type FormEvent, useRef, useState } from 'react';
import type { FormOutlineJson, StepJson } from './form-outline-json.ts';
import { Opener } from './opener.tsx';
import { useNewField } from './use-new-field.ts';

interface AddFieldProps {
  readonly outline: FormOutlineJson;
  readonly step: StepJson;
  readonly onAdded: () => Promise<void>;
}

/** A button that opens a form for new fields of a step. */
export function AddField(props: AddFieldProps) {
  return (
    <Opener label={`Add a field to ${props.step.title}`}>
      <NewField {...props} />
    </Opener>
  );
}

function NewField({ outline, step, onAdded }: AddFieldProps) {
  const { label, code, type, isRequired, options, errors, isSaving, add, change } = useNewField(
    outline,
    step,
  );
  const labelInput = useRef<HTMLInputElement>(null);
  const [added, setAdded] = useState('');
  const id = (name: string) => `new-field-${step.id}-${name}`;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving || !(await add())) return;
    await onAdded();
    setAdded(`Added “${label.trim()}”.`);
    labelInput.current?.focus();
  };

  return (
    <Box
      as="form"
      aria-label={`New field in ${step.title}`}
      border="default"
      mt="default"
      p="lg"
      style={{ display: 'grid', gap: 16 }}
      onSubmit={(event: FormEvent) => void submit(event)}
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
      <Box as="fieldset" m="0" p="0" style={{ border: 0 }}>
        <Label as="legend">Type</Label>
        <Box flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
          {outline.fieldTypes.map((fieldType) => (
            <Choice
              key={fieldType.id}
              type="radio"
              name={id('type')}
              checked={fieldType.id === type?.id}
              onChange={() => change({ type: fieldType })}
            >
              {fieldType.name}
            </Choice>
          ))}
        </Box>
      </Box>
      {type?.hasOptions && (
        <Box>
          <Label htmlFor={id('options')}>Options, one per line</Label>
          <TextArea
            id={id('options')}
            width={1}
            rows={4}
            value={options}
            onChange={({ target }: ChangeEvent<HTMLTextAreaElement>) => change({ options: target.value })}
          />
        </Box>
      )}
      <Box flex flexDirection="row" flexWrap="wrap" alignItems="center" style={{ gap: 16 }}>
        <Choice type="checkbox" checked={isRequired} onChange={() => change({ isRequired: !isRequired })}>
          Required
        </Choice>
        <Button type="submit" variant="contained" aria-disabled={isSaving}>
          Add
        </Button>
        <Text role="status" color="grey60">
          {added}
        </Text>
      </Box>
    </Box>
  );
}

type ChoiceProps = React.InputHTMLAttributes<HTMLInputElement>;

/** A radio button or check box with a label that is large enough to click. */
function Choice({ children, ...input }: ChoiceProps) {
  return (
    <Box
      as="label"
      border="default"
      flex
      flexDirection="row"
      alignItems="center"
      px="default"
      style={{ gap: 8, minHeight: 32 }}
    >
      <input {...input} />
      <Text as="span">{children}</Text>
    </Box>
  );
}
