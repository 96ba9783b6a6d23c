import type { Question } from 'formtrail-session';
import { answerText } from 'formtrail-session/inputs';
import { plainText } from 'formtrail-session/markup';
import type { PageProps } from './props.js';

interface ConflictProps extends Pick<PageProps, 'visit' | 'words'> {
  readonly question: Question;
  readonly conflict: NonNullable<Question['conflict']>;
}

/** Shows the answer of this window and that of another one, and lets the user keep one of them. */
export function Conflict({ question, conflict, visit, words }: ConflictProps) {
  const { key, field, value, file } = question;
  const { text } = words;
  const versions = [
    { choice: 'mine', where: text.here, answer: value, of: file },
    { choice: 'theirs', where: text.elsewhere, answer: conflict.theirs, of: conflict.theirFile },
  ] as const;
  return (
    <div part="conflict" role="group" aria-label={`${text.conflicts}: ${plainText(field.label)}`}>
      {versions.map(({ choice, where, answer, of }) => (
        <div key={choice}>
          <p class="quiet">{where}</p>
          <p>
            <strong>
              <bdi>{answer === '' ? text.noAnswer : answerText(field, answer, of, words)}</bdi>
            </strong>
          </p>
          <button type="button" part="button" onClick={() => visit.resolve(key, choice)}>
            {text.keep}
            <span class="visually-hidden">{` (${where})`}</span>
          </button>
        </div>
      ))}
    </div>
  );
}
