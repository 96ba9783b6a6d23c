import type { Field, Step } from 'formtrail-client';
import { Fragment } from 'preact';
import type { DraftView } from '../draft/draft-view';
import { blocksOf, isQuestion, type ShownField, walkedSteps } from '../draft/questions';
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
  const { form, outcome, steps, submissionUuid, focus } = view;
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
        {walkedSteps(steps, view).map(({ step }) => (
          <section key={step.id}>
            <h2>{step.title}</h2>
            {sectionsOf(step, view).map(({ name, fields }, index) => (
              <Fragment key={index}>
                {name !== undefined && <h3>{name}</h3>}
                <dl>
                  {fields.map(({ field, key }) => (
                    <div key={key}>
                      <dt>{field.label}</dt>
                      <dd>{textOf(field, view.values.get(key))}</dd>
                    </div>
                  ))}
                </dl>
              </Fragment>
            ))}
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

/** The questions that follow each other, and those of each entry under its name. */
function sectionsOf(step: Step, view: DraftView): { name?: string; fields: ShownField[] }[] {
  const sections: { name?: string; fields: ShownField[] }[] = [];
  for (const block of blocksOf(step, view)) {
    const last = sections.at(-1);
    if (block.kind === 'group')
      sections.push(...block.entries.map(({ name, fields }) => ({ name, fields: [...fields] })));
    else if (last !== undefined && last.name === undefined) last.fields.push(block.shown);
    else sections.push({ fields: [block.shown] });
  }
  return sections
    .map(({ fields, ...section }) => ({
      ...section,
      fields: fields.filter(({ field }) => isQuestion(field)),
    }))
    .filter(({ fields }) => fields.length > 0);
}

function textOf(field: Field, value = '') {
  return value === '' ? <span class="quiet">Not answered</span> : answerText(field, value);
}
