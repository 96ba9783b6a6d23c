import type { DraftStep, Question } from 'formtrail-session';
import { answerText } from 'formtrail-session/inputs';
import { plainText } from 'formtrail-session/markup';
import { HEADING } from '../ids.js';
import type { Words } from '../words.js';
import { Buttons } from './buttons.js';
import { Notices } from './notices.js';
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
      {!visit.page.outline() && (
        <div part="progress">
          <p>{text.allSteps(shown.steps.length)}</p>
          <progress part="bar" max={100} value={100} aria-label={text.progress} />
        </div>
      )}
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
    </>
  );
}

/** A question with its answer, or a group without entries. */
interface Row {
  readonly key: string;
  readonly label: string;
  readonly answer?: string | undefined;
  /** Says that the answer, or an entry of the group, is required. */
  readonly missing?: string | undefined;
  /** Replaces the label in the name of the button. */
  readonly about?: string;
  /** Nobody can change the answer. */
  readonly isComputed?: boolean;
}

/** Rows with the name of their entry, such as "Receipt 2". */
interface Rows {
  readonly entry: string | undefined;
  readonly rows: Row[];
}

interface AnswersProps {
  readonly step: DraftStep;
  readonly words: Words;
  /** Leads to a question. Without it, the answers cannot be changed any more. */
  readonly onChange?: (key: string) => void;
}

/** The answers of a step, and the required ones that are missing. Steps without questions and groups are left out. */
export function Answers({ step, words, onChange }: AnswersProps) {
  const { text } = words;
  const all = rowsOf(step, words);
  const shown = all.flatMap(({ entry, rows }) => {
    const filled = rows.filter(({ answer, missing }) => answer !== undefined || (onChange && missing));
    const [first] = rows;
    // An entry or a step without answers needs a button too.
    if (filled.length === 0 && first && onChange && (entry !== undefined || all.length === 1))
      filled.push({ key: first.key, label: text.noAnswer, about: entry === undefined ? step.title : '' });
    return filled.length === 0 ? [] : { entry, rows: filled };
  });
  if (shown.length === 0) return null;
  return (
    <section part="answers" aria-labelledby={`answers-${step.position}`}>
      <h3 id={`answers-${step.position}`}>{step.title}</h3>
      {shown.map(({ entry, rows }, index) => (
        <div key={index} part={entry && 'entry-answers'}>
          {entry !== undefined && <h4>{entry}</h4>}
          <dl>
            {rows.map(({ key, label, answer, missing, about = label, isComputed }) => (
              <div key={key} part="answer">
                <dt>{label}</dt>
                <dd part={missing && 'error'}>{missing ?? <bdi>{answer}</bdi>}</dd>
                {onChange && !isComputed && (
                  <dd>
                    <button type="button" part="button link" onClick={() => onChange(key)}>
                      {text.change}
                      <span class="visually-hidden">{` ${entry ?? ''} ${about}`}</span>
                    </button>
                  </dd>
                )}
              </div>
            ))}
          </dl>
        </div>
      ))}
    </section>
  );
}

function rowsOf({ blocks }: DraftStep, words: Words): Rows[] {
  const { text } = words;
  const found: Rows[] = [];
  const add = (row: Row) => {
    const last = found.at(-1);
    if (last && last.entry === undefined) last.rows.push(row);
    else found.push({ entry: undefined, rows: [row] });
  };
  const rowOf = ({ key, field, value, file, isRequired, isComputed }: Question): Row => ({
    ...{ key, label: plainText(field.label), isComputed },
    ...(value !== ''
      ? { answer: answerText(field, value, file, words) }
      : { missing: isRequired && !isComputed ? text.missing : undefined }),
  });
  for (const block of blocks) {
    if (block.kind === 'question') add(rowOf(block));
    if (block.kind !== 'group') continue;
    const { key, entity, entries } = block;
    for (const { number, blocks: inside } of entries)
      found.push({
        entry: `${plainText(entity.label)} ${number}`,
        rows: inside.filter((one) => one.kind === 'question').map(rowOf),
      });
    const least = entity.min_records ?? 0;
    if (entries.length < least) add({ key, label: plainText(entity.label), missing: text.atLeast(least) });
    // Otherwise the user would not notice that they have added no entry.
    else if (entries.length === 0) add({ key, label: plainText(entity.label), answer: text.noEntries });
  }
  return found;
}
