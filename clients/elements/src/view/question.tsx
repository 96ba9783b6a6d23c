import type { Question } from 'formtrail-session';
import { answerText } from 'formtrail-session/inputs';
import { labelId, placeId } from '../ids.js';
import { type View, viewOf } from './components.js';
import { Conflict } from './conflict.js';
import { Markup } from './markup.js';
import type { PageProps } from './props.js';

interface QuestionFieldProps extends Pick<PageProps, 'visit' | 'words'> {
  readonly question: Question;
  /** Whether the question has got another type since it was answered. */
  readonly isRetyped: boolean;
}

/** A field with its label, description, error and input. */
export function QuestionField({ question, isRetyped, visit, words }: QuestionFieldProps) {
  const { key, field, isRequired, isComputed, mistake, conflict } = question;
  const { text } = words;
  const { Input, Single, kind } = isComputed ? COMPUTED : viewOf(field);
  const id = placeId(key);
  const left = charactersLeft(question);
  const notes = [
    field.description
      ? { id: `${id}-description`, content: <Markup text={field.description} isBlock {...{ words }} /> }
      : [],
    left === undefined ? [] : { id: `${id}-left`, content: text.charactersLeft(left) },
    isRetyped ? { id: `${id}-retyped`, content: text.retyped } : [],
  ].flat();
  const errorId = `${id}-error`;
  const described = [...notes.map((note) => note.id), ...(mistake === undefined ? [] : [errorId])];
  const input = { question, visit, words, id, describedBy: described.join(' ') || undefined };
  const mark = isComputed ? '' : isRequired ? text.required : text.optional;
  const name = (
    <>
      <Markup text={field.label} {...{ words }} /> {mark !== '' && <span part="mark">{mark}</span>}
    </>
  );
  const about = (
    <>
      {notes.map((note) => (
        <div key={note.id} id={note.id} part="hint">
          {note.content}
        </div>
      ))}
      {mistake !== undefined && (
        <p id={errorId} part="error">
          <span class="visually-hidden">{text.error} </span>
          {words.mistake(mistake, question)}
        </p>
      )}
    </>
  );
  const part = mistake === undefined ? 'field' : 'field invalid';
  const versions = conflict && <Conflict {...{ question, conflict, visit, words }} />;

  if (Single !== undefined && field.options.length === 0) {
    return (
      <div part={part}>
        <Single {...input} label={name} />
        {about}
        {versions}
      </div>
    );
  }
  if (kind === 'inputs') {
    return (
      <fieldset part={part} aria-describedby={input.describedBy}>
        <legend id={labelId(id)} part="label">
          {name}
        </legend>
        {about}
        <Input {...input} />
        {versions}
      </fieldset>
    );
  }
  return (
    <div part={part}>
      <label part="label" for={id}>
        {name}
      </label>
      {about}
      <Input {...input} />
      {versions}
    </div>
  );
}

/** An answer that the service computes. Errors lead to it, so it can have the focus. */
const COMPUTED: View = {
  kind: 'input',
  Input: ({ question: { field, value }, words, id, describedBy }) => (
    <output id={id} part="output" aria-describedby={describedBy} tabIndex={-1}>
      {value === '' ? '–' : answerText(field, value, undefined, words)}
    </output>
  ),
};

/** Undefined unless the answer is near its maximum length. Counts characters as the service does. */
function charactersLeft({ field, value }: Question): number | undefined {
  const rule = field.rules.find(({ kind }) => kind === 'max_length');
  const left = Number(rule?.value) - Array.from(value).length;
  return left <= 50 ? left : undefined;
}
