import type { DraftStep, Question } from 'formtrail-session';
import type { ComponentChildren } from 'preact';
import { answerText } from '../fields/answer-text';

interface AnswersProps {
  readonly steps: readonly DraftStep[];
  /**
   * Address where an answer can be changed. Without it, the answers have no links, and questions without an answer are left out,
   * because the form may ask them only since the submission was completed.
   */
  readonly addressOf?: (step: DraftStep, key: string) => string;
}

/** A question with its answer, or a group without entries. */
interface Row {
  readonly key: string;
  readonly label: string;
  readonly answer: ComponentChildren;
}

/** Rows of one entry, or rows outside of entries. */
interface Section {
  readonly entry: string | undefined;
  readonly rows: Row[];
}

/** All answers by step, with those of each entry under its name. Steps without questions and groups are left out. */
export function Answers({ steps, addressOf }: AnswersProps) {
  return (
    <div class="answers">
      {steps
        .map((step) => ({ step, sections: sectionsOf(step, addressOf === undefined) }))
        .filter(({ sections }) => sections.length > 0)
        .map(({ step, sections }) => (
          <section key={step.position} aria-labelledby={`answers-${step.position}`}>
            <h2 id={`answers-${step.position}`}>{step.title}</h2>
            {sections.map(({ entry, rows }) => (
              <div key={rows[0]?.key}>
                {entry !== undefined && <h3>{entry}</h3>}
                <dl>
                  {rows.map(({ key, label, answer }) => (
                    <div key={key}>
                      <dt>{label}</dt>
                      <dd>{answer}</dd>
                      {addressOf && (
                        <dd class="change">
                          <a href={addressOf(step, key)}>
                            Change{' '}
                            <span class="visually-hidden">
                              {entry !== undefined && `${entry}, `}
                              {label}
                            </span>
                          </a>
                        </dd>
                      )}
                    </div>
                  ))}
                </dl>
              </div>
            ))}
          </section>
        ))}
    </div>
  );
}

/** `blocks` contains no hidden questions and groups. */
function sectionsOf({ blocks }: DraftStep, onlyAnswered: boolean): Section[] {
  const sections: Section[] = [];
  const add = (entry: string | undefined, rows: Row[]) => {
    const last = sections.at(-1);
    if (last !== undefined && last.entry === entry) last.rows.push(...rows);
    else if (rows.length > 0) sections.push({ entry, rows });
  };
  const rowsOf = (questions: readonly Question[]) =>
    questions.filter(({ value }) => value !== '' || !onlyAnswered).map(rowOf);
  for (const block of blocks) {
    if (block.kind === 'question') add(undefined, rowsOf([block]));
    if (block.kind !== 'group') continue;
    const { key, entity, entries } = block;
    // Otherwise the user would not notice that they have added no entry.
    if (entries.length === 0 && !onlyAnswered)
      add(undefined, [{ key, label: entity.label, answer: quiet('None added') }]);
    for (const { number, blocks: own } of entries) {
      const questions = own.filter((one) => one.kind === 'question');
      add(`${entity.label} ${number}`, rowsOf(questions));
    }
  }
  return sections;
}

function rowOf({ key, field, value, file }: Question): Row {
  const answer = value === '' ? quiet('Not answered') : answerText(field, value, file);
  return { key, label: field.label, answer };
}

const quiet = (text: string) => <span class="quiet">{text}</span>;
