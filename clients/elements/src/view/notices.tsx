import { plainText } from 'formtrail-session/markup';
import { NOTICES, placeId } from '../ids.js';
import { questionsOn } from '../questions.js';
import { LATER } from './later.js';
import type { PageProps } from './props.js';

/** Says why the form takes no answers. Reports changes by another window or device, with links to conflicts on all steps, and changes of the form. */
export function Notices(props: PageProps) {
  const { conflicts, formChanged, changedElsewhere, unavailable } = props.shown;
  const { ChangedForm } = LATER;
  return (
    <div id={NOTICES} aria-live="polite" tabIndex={-1}>
      {unavailable && (
        <p part="notice" role="alert">
          {props.words.mistake(unavailable)}
        </p>
      )}
      {conflicts.length > 0 ? (
        <Conflicts {...props} />
      ) : formChanged && ChangedForm ? (
        <ChangedForm {...formChanged} words={props.words} />
      ) : (
        changedElsewhere && <p part="notice">{props.words.text.changedElsewhere}</p>
      )}
    </div>
  );
}

function Conflicts({ visit, shown: { conflicts, steps }, words: { text } }: PageProps) {
  const lead = (event: Event, key: string) => {
    event.preventDefault();
    const step = steps.find((one) => questionsOn(one).some(({ question }) => question.key === key));
    void visit.change(step?.position ?? 1, key);
  };
  return (
    <section part="notice">
      <h3>{text.conflicts}</h3>
      <p>{text.conflictsText}</p>
      <ul>
        {conflicts.map(({ key, field }) => (
          <li key={key}>
            <a href={`#${placeId(key)}`} onClick={(event) => lead(event, key)}>
              {plainText(field.label)}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
