// The build adds this module to the chunk of the session that loads when a form has changed.
import { answerText } from 'formtrail-session/inputs';
import { plainText } from 'formtrail-session/markup';
import type { Sentences } from '../sentences.js';
import { type ChangedFormProps, LATER } from '../view/later.js';
import { FORM_CHANGE_ENGLISH } from './form-change-english.js';

/** Names new questions. Shows the answers to questions that are gone once, so that the user can copy them. */
function ChangedForm({ added, removed, words }: ChangedFormProps) {
  const text: Sentences = { ...FORM_CHANGE_ENGLISH, ...words.text };
  return (
    <section part="notice">
      <p>{text.formChanged}</p>
      {added.length > 0 && (
        <>
          <p>{text.addedQuestions}</p>
          <ul>
            {added.map(({ code, label }) => (
              <li key={code}>{plainText(label)}</li>
            ))}
          </ul>
        </>
      )}
      {removed.length > 0 && (
        <>
          <p>{text.removedQuestions}</p>
          <dl>
            {removed.map(({ field, value }) => (
              <div key={field.code}>
                <dt>{plainText(field.label)}</dt>
                <dd>
                  <bdi>{answerText(field, value, undefined, words)}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

LATER.ChangedForm = ChangedForm;
