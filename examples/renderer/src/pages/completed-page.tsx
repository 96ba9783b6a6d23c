import type { ShownDraft } from 'formtrail-session';
import { NewHeading, Page } from '../page/page';
import { draftAddress, formsAddress, goTo } from '../route';
import { Answers } from './answers';
import { BeginButton } from './begin-button';

/** Also for whoever comes back to its address later. */
export function CompletedPage({ shown }: { shown: ShownDraft }) {
  const { form, steps, submission } = shown;
  return (
    <Page title={`Thank you – ${form.name}`}>
      <p class="form-name">{form.name}</p>
      <NewHeading>Thank you</NewHeading>
      <p class="lead">Your answers have been submitted. Keep the reference, for when you have a question.</p>
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

/** The last eight digits of the UUID, which are random: short enough to be read out, and enough to find it by. */
function referenceOf(submission: string): string {
  const digits = submission.slice(-8).toUpperCase();
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}
