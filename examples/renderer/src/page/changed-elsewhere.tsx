import type { ShownDraft } from 'formtrail-session';
import { CHANGES_ID, placeId } from '../focus';
import { questionsOn } from '../questions';
import { stepAddress } from '../route';

interface ChangedElsewhereProps {
  readonly address: string;
  readonly shown: ShownDraft;
}

/** Reports changes by another window or device, with links to conflicts on all steps. */
export function ChangedElsewhere({ address, shown }: ChangedElsewhereProps) {
  return (
    <div aria-live="polite" id={CHANGES_ID} tabIndex={-1}>
      {shown.conflicts.length > 0 ? (
        <Conflicts {...{ address, shown }} />
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

function Conflicts({ address, shown: { conflicts, steps } }: ChangedElsewhereProps) {
  const positionOf = (key: string) =>
    steps.find((step) => questionsOn(step).some(({ question }) => question.key === key))?.position ?? 1;
  return (
    <section class="notice">
      <h2>Answered differently elsewhere</h2>
      <p>Another window or device has stored different answers. Choose which ones to keep:</p>
      <ul>
        {conflicts.map(({ key, field }) => (
          <li key={key}>
            <a href={stepAddress(address, positionOf(key), placeId(key))}>{field.label}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
