import type { ComponentType } from 'preact';
import type { Field } from 'formtrail-client';
import type { Question } from 'formtrail-session';
import { placeId } from '../focus';
import { say } from '../sentences';
import { answerText } from './answer-text';
import { CheckboxGroup, RadioGroup, SingleCheckbox } from './choice-inputs';
import type { FileInputProps, InputProps } from './field-props';
import { FileInput } from './file-input';
import { DateInput, EmailInput, NumberInput, SelectInput, TextArea, TextInput } from './text-inputs';

interface QuestionFieldProps {
  readonly question: Question;
  /** The type of the question has changed under the answer. */
  readonly isRetyped: boolean;
  readonly onChange: (value: string) => void;
  /** The focus has left the question. */
  readonly onLeave: () => void;
  readonly files: Pick<FileInputProps, 'takesSeveral' | 'onFiles' | 'onCancel'>;
  readonly onResolve: (choice: 'mine' | 'theirs') => void;
}

/** A field with its label, description, error and input. */
export function QuestionField({
  question,
  isRetyped,
  files,
  onChange,
  onLeave,
  onResolve,
}: QuestionFieldProps) {
  const { key, field, value, isRequired, mistake, conflict, file, upload } = question;
  const { label, description } = field;
  const id = placeId(key);
  const notes = { description: `${id}-description`, change: `${id}-change`, error: `${id}-error` };
  const described = [
    description ? notes.description : [],
    isRetyped ? notes.change : [],
    mistake === undefined ? [] : notes.error,
  ];
  const describedBy = described.flat().join(' ') || undefined;
  const input: InputProps = {
    ...{ field, id, name: key, value, isRequired, describedBy, onChange },
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
      {isRetyped && (
        <p class="description" id={notes.change}>
          This question has changed. Check your answer.
        </p>
      )}
      {mistake !== undefined && (
        <p class="error" id={notes.error}>
          <span class="visually-hidden">Error: </span>
          {say.mistake(mistake, question)}
        </p>
      )}
    </>
  );
  const versions = conflict && <Versions {...{ question, ...conflict, onResolve }} />;
  const frame = {
    class: mistake === undefined ? 'field' : 'field has-error',
    onFocusOut: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!(currentTarget as Element).contains(relatedTarget as Element | null)) onLeave();
    },
  };

  if (isSingleCheckbox(field)) {
    return (
      <div {...frame}>
        <SingleCheckbox {...input} label={name} />
        {about}
        {versions}
      </div>
    );
  }
  const Group = groups.get(field.field_type.component);
  if (Group) {
    return (
      <fieldset {...frame} aria-describedby={describedBy}>
        <legend>{name}</legend>
        {about}
        <Group {...input} />
        {versions}
      </fieldset>
    );
  }
  const isFile = field.field_type.component === 'file-input';
  // An unknown component, for example of a newer service, renders as a plain text input.
  const Input = inputs.get(field.field_type.component) ?? TextInput;
  return (
    <div {...frame}>
      <label for={id}>{name}</label>
      {about}
      {isFile ? <FileInput {...input} {...files} {...{ mistake, file, upload }} /> : <Input {...input} />}
      {versions}
    </div>
  );
}

/** Shows the answer of this window and that of another one, and lets the user keep one of them. */
function Versions({
  question: { field, value, file },
  theirs,
  theirFile,
  onResolve,
}: Pick<QuestionFieldProps, 'question' | 'onResolve'> & NonNullable<Question['conflict']>) {
  const choices = [
    { choice: 'mine', where: 'Here', answer: value, of: file },
    { choice: 'theirs', where: 'Elsewhere', answer: theirs, of: theirFile },
  ] as const;
  return (
    <div class="versions" role="group" aria-label={`Two answers: ${field.label}`}>
      {choices.map(({ choice, where, answer, of }) => (
        <div key={choice}>
          <p class="quiet">{where}</p>
          <p class="answer">{answer === '' ? 'No answer' : answerText(field, answer, of)}</p>
          <button type="button" onClick={() => onResolve(choice)}>
            Keep this<span class="visually-hidden"> answer: {where}</span>
          </button>
        </div>
      ))}
    </div>
  );
}

const inputs = new Map<string, ComponentType<InputProps>>([
  ['text-input', TextInput],
  ['email-input', EmailInput],
  ['number-input', NumberInput],
  ['textarea-input', TextArea],
  ['select-input', SelectInput],
  ['date-input', DateInput],
]);

/** Components with several inputs under one legend. */
const groups = new Map<string, ComponentType<InputProps>>([
  ['checkbox-input', CheckboxGroup],
  ['radio-input', RadioGroup],
]);

function isSingleCheckbox({ field_type, options }: Field): boolean {
  return field_type.component === 'checkbox-input' && options.length === 0;
}
