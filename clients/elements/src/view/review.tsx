import type { Block, DraftStep } from 'formtrail-session';
import { answerText } from 'formtrail-session/inputs';
import { plainText } from 'formtrail-session/markup';
import { HEADING } from '../ids.js';
import type { Words } from '../words.js';
import { Buttons } from './buttons.js';
import { Notices } from './notices.js';
import { OtherDevice } from './other-device.js';
import type { PageProps } from './props.js';

/** Shows all answers before they are submitted, each with a button to change it. */
export function Review(props: PageProps) {
  const { visit, shown, words } = props;
  const { text } = words;
  const submit = (event: Event) => {
    event.preventDefault();
    void visit.submit();
  };
  return (
    <>
      <p part="form-name">{shown.form.name}</p>
      <h2 id={HEADING} part="title" tabIndex={-1}>
        {text.review}
      </h2>
      <p part="description">{text.reviewIntroduction}</p>
      <Notices {...props} />
      {shown.steps.map((step) => (
        <Answers
          key={step.id}
          {...{ step, words }}
          onChange={(key) => void visit.change(step.position, key)}
        />
      ))}
      <form part="form" noValidate onSubmit={submit}>
        <Buttons {...props}>{text.submit}</Buttons>
      </form>
      <OtherDevice {...props} />
    </>
  );
}

/** A question with its answer, or a group without entries. */
interface Row {
  readonly key: string;
  /** Name of the entry, such as "Receipt 2". */
  readonly entry: string | undefined;
  readonly label: string;
  readonly answer: string | undefined;
}

interface AnswersProps {
  readonly step: DraftStep;
  readonly words: Words;
  /** Leads to a question. Without it, the answers cannot be changed any more, and unanswered questions are left out. */
  readonly onChange?: (key: string) => void;
}

/** The answers of a step. Steps without questions and groups are left out. */
export function Answers({ step, words, onChange }: AnswersProps) {
  const rows = step.blocks
    .flatMap((block) => rowsOf(block, words))
    .filter(({ answer }) => onChange || answer !== undefined);
  if (rows.length === 0) return null;
  return (
    <section part="answers" aria-labelledby={`answers-${step.position}`}>
      <h3 id={`answers-${step.position}`}>{step.title}</h3>
      <dl>
        {rows.map(({ key, entry, label, answer }) => (
          <div key={key} part="answer">
            <dt>
              {entry !== undefined && <span class="quiet">{`${entry}: `}</span>}
              {label}
            </dt>
            <dd class={answer === undefined ? 'quiet' : undefined}>{answer ?? words.text.noAnswer}</dd>
            {onChange && (
              <dd>
                <button type="button" part="button link" onClick={() => onChange(key)}>
                  {words.text.change}
                  <span class="visually-hidden">{` ${entry ?? ''} ${label}`}</span>
                </button>
              </dd>
            )}
          </div>
        ))}
      </dl>
    </section>
  );
}

function rowsOf(block: Block, words: Words, entry?: string): Row[] {
  if (block.kind === 'text') return [];
  if (block.kind === 'question') {
    const { key, field, value, file } = block;
    const answer = value === '' ? undefined : answerText(field, value, file, words);
    return [{ key, entry, label: plainText(field.label), answer }];
  }
  const { key, entity, entries } = block;
  // Otherwise the user would not notice that they have added no entry.
  if (entries.length === 0)
    return [{ key, entry: undefined, label: plainText(entity.label), answer: words.text.noEntries }];
  return entries.flatMap(({ number, blocks }) =>
    blocks.flatMap((one) => rowsOf(one, words, `${plainText(entity.label)} ${number}`)),
  );
}
