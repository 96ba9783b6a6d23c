import type { ShownDraft } from 'formtrail-session';
import { NewHeading, Page } from '../page/page';
import { draftAddress, formsAddress, goTo } from '../route';
import { Answers } from './answers';
import { BeginButton } from './begin-button';

/** Also shown when the user opens the address of a completed submission later. */
export function CompletedPage({ shown }: { shown: ShownDraft }) {
  const { form, steps, submission } = shown;
  return (
    <Page title={`Thank you – ${form.name}`}>
      <p class="form-name">{form.name}</p>
      <NewHeading>Thank you</NewHeading>
      <p class="lead">Your answers have been submitted. Keep the reference in case you have a question.</p>
      <p class="reference">
        Your reference <strong>{referenceOf(submission)}</strong>
      </p>
      <Answers steps={steps} />
      <div class="buttons submit">
        <BeginButton
          formUuid={form.uuid}
          label="Begin another one"
          onBegun={(draftUuid) => goTo(draftAddress(form.uuid, draftUuid))}
        />
        <a href={formsAddress(1)}>All forms</a>
      </div>
    </Page>
  );
}

/** The last eight digits of the UUID. They are random: enough to find the submission, and short enough to read out. */
function referenceOf(submission: string): string {
  const digits = submission.slice(-8).toUpperCase();
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}
