import type { ComponentType } from 'preact';
import type { Field } from 'formtrail-client';
import type { Question } from 'formtrail-session';
import { placeId } from '../focus';
import { sentenceOfMistake } from '../sentences';
import { answerText } from './answer-text';
import { CheckboxGroup, RadioGroup, SingleCheckbox } from './choice-inputs';
import type { InputProps } from './field-props';
import { FileInput } from './file-input';
import { DateInput, EmailInput, NumberInput, SelectInput, TextArea, TextInput } from './text-inputs';

interface QuestionFieldProps {
  readonly question: Question;
  readonly onChange: (value: string) => void;
  readonly onResolve: (choice: 'mine' | 'theirs') => void;
}

/** A field with its label, its description, what is wrong with it, and its input. */
export function QuestionField({ question, onChange, onResolve }: QuestionFieldProps) {
  const { key, field, value, isRequired, mistake, conflict } = question;
  const { label, description } = field;
  const id = placeId(key);
  const notes = { description: `${id}-description`, error: `${id}-error` };
  const describedBy =
    [description ? notes.description : [], mistake === undefined ? [] : notes.error].flat().join(' ') ||
    undefined;
  const input: InputProps = {
    ...{ field, id, value, isRequired, describedBy, onChange },
    isInvalid: mistake !== undefined,
  };
  const name = (
    <>
      {label} {!isRequired && <span class="optional">(optional)</span>}
    </>
  );
  const about = (
    <>
      {description && (
        <p class="description" id={notes.description}>
          {description}
        </p>
      )}
      {mistake !== undefined && (
        <p class="error" id={notes.error}>
          <span class="visually-hidden">Error: </span>
          {sentenceOfMistake(mistake, field)}
        </p>
      )}
    </>
  );
  const versions = conflict && <Versions {...{ question, theirs: conflict.theirs, onResolve }} />;
  const className = mistake === undefined ? 'field' : 'field has-error';

  if (isSingleCheckbox(field)) {
    return (
      <div class={className}>
        <SingleCheckbox {...input} label={name} />
        {about}
        {versions}
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
        {versions}
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
      {versions}
    </div>
  );
}

/** What is answered here, and what was answered meanwhile in another window: one of them is kept. */
function Versions({
  question: { field, value },
  theirs,
  onResolve,
}: Pick<QuestionFieldProps, 'question' | 'onResolve'> & { readonly theirs: string }) {
  const choices = [
    { choice: 'mine', where: 'Here', answer: value },
    { choice: 'theirs', where: 'Elsewhere', answer: theirs },
  ] as const;
  return (
    <div class="versions" role="group" aria-label={`Two answers: ${field.label}`}>
      {choices.map(({ choice, where, answer }) => (
        <div key={choice}>
          <p class="quiet">{where}</p>
          <p class="answer">{answer === '' ? 'No answer' : answerText(field, answer)}</p>
          <button type="button" onClick={() => onResolve(choice)}>
            Keep this<span class="visually-hidden"> answer: {where}</span>
          </button>
        </div>
      ))}
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
