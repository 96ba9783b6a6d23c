import { CHANGES_ID, placeId, useFocus } from '../focus';
import { ActionButton } from '../page/action-button';
import { AnotherDevice } from '../page/another-device';
import { Changes } from '../page/changes';
import { NewHeading, Page } from '../page/page';
import { Progress } from '../page/progress';
import { Failure } from '../page/trouble';
import { stepOf } from '../questions';
import { goTo, stepAddress } from '../route';
import { Answers } from './answers';
import type { DraftProps } from './step-page';

/** Shows all answers before they are submitted, each with a link to change it. */
export function ReviewPage({ address, draft, shown, furthest }: DraftProps) {
  const { form, steps, saving, busy, failure, isUploading } = shown;
  const focusOn = useFocus();
  const submit = async () => {
    const outcome = await draft.complete();
    if (outcome === 'changed') focusOn(CHANGES_ID);
    if (outcome !== 'mistakes') return;
    // The draft has moved to the first step with errors.
    const step = stepOf(draft);
    if (step !== undefined) goTo(stepAddress(address, step));
  };
  return (
    <Page
      title={`Check your answers – ${form.name}`}
      {...{ saving, isUploading }}
      aside={<Progress position={undefined} {...{ address, steps, furthest }} />}
    >
      <p class="form-name">{form.name}</p>
      <NewHeading>Check your answers</NewHeading>
      <p class="lead">You cannot change your answers after you submit them.</p>
      <Changes {...{ address, shown }} />
      <Answers steps={steps} addressOf={(step, key) => stepAddress(address, step, placeId(key))} />
      <div class="buttons submit">
        <ActionButton
          label="Submit"
          waiting="Submitting…"
          isRunning={busy === 'completing'}
          isBusy={busy !== undefined}
          onClick={() => void submit()}
        />
        <Failure {...{ isUploading }} error={failure} />
      </div>
      <AnotherDevice {...{ draft, shown }} />
    </Page>
  );
}
