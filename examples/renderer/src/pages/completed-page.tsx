import type { Draft, ShownDraft } from 'formtrail-session';
import { useEffect } from 'preact/hooks';
import { EndButton } from '../page/end-button';
import { NewHeading, Page } from '../page/page';
import { draftAddress, formAddress, formsAddress, goTo, submittedAddress } from '../route';
import { Answers } from './answers';
import { BeginButton } from './begin-button';

/** Also shown when the user opens the address of a completed submission later. */
export function CompletedPage({ draft, shown }: { draft: Draft; shown: ShownDraft }) {
  const { form, steps, submission = '' } = shown;
  useEffect(() => goTo(submittedAddress(draftAddress(form.uuid, submission)), 'replace'), []);
  return (
    <Page title={`Thank you – ${form.name}`}>
      <p class="form-name">{form.name}</p>
      <NewHeading>Thank you</NewHeading>
      <p class="lead">Your answers have been submitted.</p>
      <p class="reference">
        Keep your reference in case you have a question: <strong>{referenceOf(submission)}</strong>
      </p>
      <Answers steps={steps} />
      <div class="buttons submit">
        {shown.respondent === undefined ? (
          <BeginButton
            formUuid={form.uuid}
            label="Begin another one"
            onOpen={(draftUuid) => goTo(draftAddress(form.uuid, draftUuid))}
          />
        ) : (
          <>
            <a href={formAddress(form.uuid)}>Begin another one</a>
            <EndButton {...{ draft, form }} />
          </>
        )}
        <a href={formsAddress(1)}>All forms</a>
      </div>
    </Page>
  );
}

/** The last eight digits of the UUID. They are random: enough to find the submission, and short enough to read out. */
export function referenceOf(submission: string): string {
  const digits = submission.slice(-8).toUpperCase();
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}
