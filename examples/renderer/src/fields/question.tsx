import type { ComponentType } from 'preact';
import type { Field } from 'formtrail-client';
import { CheckboxGroup, RadioGroup, SingleCheckbox } from './choice-inputs';
import type { InputProps } from './field-props';
import { FileInput } from './file-input';
import { DateInput, EmailInput, NumberInput, SelectInput, TextArea, TextInput } from './text-inputs';

interface QuestionProps {
  readonly field: Field;
  readonly id: string;
  readonly value: string;
  readonly isRequired: boolean;
  readonly error: string | undefined;
  readonly onChange: InputProps['onChange'];
}

/** A field with its label, its description, what is wrong with it, and its input. */
export function Question({ field, id, value, isRequired, error, onChange }: QuestionProps) {
  const { label, description } = field;
  const notes = { description: `${id}-description`, error: `${id}-error` };
  const describedBy =
    [description ? notes.description : [], error === undefined ? [] : notes.error].flat().join(' ') ||
    undefined;
  const input: InputProps = {
    field,
    id,
    value,
    isRequired,
    isInvalid: error !== undefined,
    describedBy,
    onChange,
  };
  const name = (
    <>
      {label} {isRequired && <span class="required">(required)</span>}
    </>
  );
  const about = (
    <>
      {description && (
        <p class="description" id={notes.description}>
          {description}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={notes.error}>
          <span class="visually-hidden">Error: </span>
          {error}
        </p>
      )}
    </>
  );
  const className = error === undefined ? 'field' : 'field has-error';

  if (isSingleCheckbox(field)) {
    return (
      <div class={className}>
        <SingleCheckbox {...input} label={name} />
        {about}
      </div>
    );
  }
  const Group = groups[field.field_type.component];
  if (Group) {
    return (
      <fieldset class={className} aria-describedby={describedBy}>
        <legend>{name}</legend>
        {about}
        <Group {...input} />
      </fieldset>
    );
  }
  // What a later version of the service calls by a name that is not known here can still be answered as a text.
  const Input = inputs[field.field_type.component] ?? TextInput;
  return (
    <div class={className}>
      <label for={id}>{name}</label>
      {about}
      <Input {...input} />
    </div>
  );
}

const inputs: Readonly<Record<string, ComponentType<InputProps>>> = {
  'text-input': TextInput,
  'email-input': EmailInput,
  'number-input': NumberInput,
  'textarea-input': TextArea,
  'select-input': SelectInput,
  'date-input': DateInput,
  'file-input': FileInput,
};

/** Several inputs under one legend. */
const groups: Readonly<Record<string, ComponentType<InputProps>>> = {
  'checkbox-input': CheckboxGroup,
  'radio-input': RadioGroup,
};

function isSingleCheckbox({ field_type, options }: Field): boolean {
  return field_type.component === 'checkbox-input' && options.length === 0;
}
