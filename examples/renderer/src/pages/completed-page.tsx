import type { Field } from 'formtrail-client';
import type { DraftView } from '../draft/draft-view';
import { answerKeys, isQuestion, visibleFields, walkedSteps } from '../draft/questions';
import { Heading, Page } from '../page/page';
import { StatusLine } from '../page/status-line';
import { formsAddress } from '../route';
import { BeginButton } from './begin-button';
import { answerText } from '../fields/answer-text';

interface CompletedPageProps {
  readonly view: DraftView;
  readonly onBegun: (submissionUuid: string) => void;
}

export function CompletedPage({ view, onBegun }: CompletedPageProps) {
  const { form, outcome, steps, states, submissionUuid, focus } = view;
  return (
    <Page title={`Thank you – ${form.name}`} status={<StatusLine />}>
      <p class="form-name">{form.name}</p>
      <Heading focusOn={focus}>Thank you</Heading>
      <p class="lead">
        {outcome === 'completed-here'
          ? 'Your answers have been submitted.'
          : 'This form was submitted in another window or on another device. What was typed here since then is not part of it.'}
      </p>
      <p>
        Your reference: <span class="reference">{submissionUuid}</span>
      </p>
      <section class="answers" aria-label="Your answers">
        {walkedSteps(steps, states).map(({ step }) => (
          <section key={step.id}>
            <h2>{step.title}</h2>
            <dl>
              {visibleFields(step, states)
                .filter(isQuestion)
                .map((field) => (
                  <div key={field.id}>
                    <dt>{field.label}</dt>
                    {textsOf(field, view).map((text, index) => (
                      <dd key={index}>{text}</dd>
                    ))}
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </section>
      <BeginButton formUuid={form.uuid} label="Begin another one" onBegun={onBegun} />
      <p>
        <a href={formsAddress(1)}>All forms</a>
      </p>
    </Page>
  );
}

/** One for each entry of a repeatable field. */
function textsOf(field: Field, { values, records }: DraftView) {
  const given = answerKeys(field, records)
    .map((key) => values.get(key) ?? '')
    .filter((value) => value !== '');
  return given.length === 0
    ? [<span class="quiet">Not answered</span>]
    : given.map((value) => answerText(field, value));
}
