import { InvalidError, type ListedSubmission } from 'formtrail-client';
import { discardDraft } from 'formtrail-session';
import { confirmed } from '../page/dialog';
import { Ago } from '../page/time';
import { draftAddress } from '../route';
import { client } from '../service';
import { DraftProgress } from './step-count';
import { type Act, SubmissionList, type SubmissionPage } from './submission-list';

export function DraftList({ first, onDeleted }: { first: SubmissionPage; onDeleted: () => void }) {
  return (
    <SubmissionList status="draft" heading="Continue where you left off" {...{ first }}>
      {(draft, act) => <DraftItem {...{ draft, act, onDeleted }} />}
    </SubmissionList>
  );
}

interface DraftItemProps {
  readonly draft: ListedSubmission;
  readonly act: Act;
  readonly onDeleted: () => void;
}

function DraftItem({ draft: { uuid, form, current_step, updated_at }, act, onDeleted }: DraftItemProps) {
  const headingId = `draft-${uuid}`;
  const remove = async () => {
    const text = `Your answers to “${form.name}” will be deleted permanently.`;
    if (!(await confirmed('Delete your draft?', text, 'Delete'))) return undefined;
    try {
      await discardDraft({ client, submission: uuid });
    } catch (error) {
      // The draft was completed elsewhere, so remove it from the list too.
      if (!(error instanceof InvalidError)) throw error;
    }
    onDeleted();
    return 'gone';
  };
  return (
    <>
      <div>
        <h3 id={headingId}>{form.name}</h3>
        <DraftProgress formUuid={form.uuid} position={current_step} />
        <p class="quiet">
          Last changed <Ago at={updated_at} />
        </p>
      </div>
      <div class="buttons">
        <a class="button primary" href={draftAddress(form.uuid, uuid)} aria-describedby={headingId}>
          Continue
        </a>
        <button type="button" class="link danger" aria-describedby={headingId} onClick={() => act(remove)}>
          Delete
        </button>
      </div>
    </>
  );
}
