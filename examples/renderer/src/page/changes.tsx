import type { FormChange, ShownDraft } from 'formtrail-session';
import { answerText } from '../fields/answer-text';
import { CHANGES_ID, placeId } from '../focus';
import { questionsOn } from '../questions';
import { stepAddress } from '../route';

interface ChangesProps {
  readonly address: string;
  readonly shown: ShownDraft;
}

/** Reports changes by another window or device, with links to conflicts on all steps, and changes of the form. */
export function Changes({ address, shown }: ChangesProps) {
  return (
    <div aria-live="polite" id={CHANGES_ID} tabIndex={-1}>
      {shown.conflicts.length > 0 ? (
        <Conflicts {...{ address, shown }} />
      ) : shown.formChanged ? (
        <ChangedForm {...shown.formChanged} />
      ) : (
        shown.changedElsewhere && (
          <p class="notice">
            These answers were changed in another window or on another device. This page shows the new
            answers: check them, then continue.
          </p>
        )
      )}
    </div>
  );
}

/** Shows the answers to questions that are gone once, so that the user can copy them. */
function ChangedForm({ removed }: FormChange) {
  return (
    <section class="notice">
      <p>This form has changed while you were filling it in. Your other answers are kept.</p>
      {removed.length > 0 && (
        <>
          <p>
            These questions are no longer asked. Saved answers stay with the people who receive this form:
          </p>
          <dl>
            {removed.map(({ field, value }) => (
              <div key={field.code}>
                <dt>{field.label}</dt>
                <dd class="answer">{answerText(field, value)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

function Conflicts({ address, shown: { conflicts, steps } }: ChangesProps) {
  const stepOf = (key: string) =>
    steps.find((step) => questionsOn(step).some(({ question }) => question.key === key)) ?? { id: 1 };
  return (
    <section class="notice">
      <h2>Answered differently elsewhere</h2>
      <p>Another window or device has stored different answers. Choose which ones to keep:</p>
      <ul>
        {conflicts.map(({ key, field }) => (
          <li key={key}>
            <a href={stepAddress(address, stepOf(key), placeId(key))}>{field.label}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
