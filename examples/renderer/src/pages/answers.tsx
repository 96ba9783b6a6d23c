import type { DraftStep } from 'formtrail-session';
import { answerText } from '../fields/answer-text';
import { type PlacedQuestion, questionsOn } from '../questions';

interface AnswersProps {
  readonly steps: readonly DraftStep[];
  /** Address where an answer can be changed. Without it, the answers have no links. */
  readonly addressOf?: (step: DraftStep, key: string) => string;
}

/** All answers by step, with those of each entry under its name. */
export function Answers({ steps, addressOf }: AnswersProps) {
  return (
    <div class="answers">
      {steps
        .filter((step) => questionsOn(step).length > 0)
        .map((step) => (
          <section key={step.position} aria-labelledby={`answers-${step.position}`}>
            <h2 id={`answers-${step.position}`}>{step.title}</h2>
            {byEntry(step).map(([entry, questions]) => (
              <div key={questions[0]?.question.key}>
                {entry !== undefined && <h3>{entry}</h3>}
                <dl>
                  {questions.map(({ question: { key, field, value, file } }) => (
                    <div key={key}>
                      <dt>{field.label}</dt>
                      <dd>
                        {value === '' ? (
                          <span class="quiet">Not answered</span>
                        ) : (
                          answerText(field, value, file)
                        )}
                      </dd>
                      {addressOf && (
                        <dd class="change">
                          <a href={addressOf(step, key)}>
                            Change{' '}
                            <span class="visually-hidden">
                              {entry !== undefined && `${entry}, `}
                              {field.label}
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

/** Groups consecutive questions of the same entry, or outside of entries. */
function byEntry(step: DraftStep): [entry: string | undefined, questions: PlacedQuestion[]][] {
  const sections: [string | undefined, PlacedQuestion[]][] = [];
  for (const placed of questionsOn(step)) {
    const last = sections.at(-1);
    if (last !== undefined && last[0] === placed.entry) last[1].push(placed);
    else sections.push([placed.entry, [placed]]);
  }
  return sections;
}
