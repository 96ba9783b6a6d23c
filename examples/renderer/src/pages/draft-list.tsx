import { InvalidError, type ListedSubmission, UnauthenticatedError } from 'formtrail-client';
import { discardDraft } from 'formtrail-session';
import { useState } from 'preact/hooks';
import { sentenceFor } from '../page/trouble';
import { draftAddress } from '../route';
import { client } from '../service';
import { StepCount } from './step-count';

/** Formats in the browser's locale and time zone. */
const CHANGED = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export type DraftPage = Awaited<ReturnType<typeof loadDrafts>>;

/** Loads the newest drafts, or the drafts after `cursor`. */
export const loadDrafts = (cursor?: string) => client.listSubmissions({ status: 'draft', cursor });

/** The user's drafts, from all devices. */
export function DraftList({ first, onDeleted }: { first: DraftPage; onDeleted: () => void }) {
  const [drafts, setDrafts] = useState<readonly ListedSubmission[]>(first.data);
  const [cursor, setCursor] = useState(first.cursor);
  const [problem, setProblem] = useState<string>();

  const attempt = async (action: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await action();
    } catch (error) {
      // For an invalid token, the app shows the token page.
      if (!(error instanceof UnauthenticatedError)) setProblem(sentenceFor(error));
    }
  };
  const deleteDraft = ({ uuid, form: { name } }: ListedSubmission) =>
    attempt(async () => {
      if (!confirm(`Delete your draft of “${name}”? Its answers will be deleted permanently.`)) return;
      try {
        await discardDraft({ client, submission: uuid });
      } catch (error) {
        // The draft was completed elsewhere, so remove it from the list too.
        if (!(error instanceof InvalidError)) throw error;
      }
      setDrafts((all) => all.filter((draft) => draft.uuid !== uuid));
      onDeleted();
    });
  const showMore = () =>
    attempt(async () => {
      const more = await loadDrafts(cursor);
      setDrafts((all) => [...all, ...more.data]);
      setCursor(more.cursor);
    });

  if (drafts.length === 0 && cursor === undefined) return null;
  return (
    <section aria-labelledby="drafts">
      <h2 id="drafts">Continue where you left off</h2>
      <ul class="cards" role="list">
        {drafts.map((draft) => (
          <DraftItem key={draft.uuid} draft={draft} onDelete={() => void deleteDraft(draft)} />
        ))}
      </ul>
      {cursor !== undefined && (
        <p class="buttons">
          <button type="button" onClick={() => void showMore()}>
            Show older ones
          </button>
        </p>
      )}
      <div role="alert">{problem !== undefined && <p class="error">{problem}</p>}</div>
    </section>
  );
}

function DraftItem({
  draft: { uuid, form, current_step, updated_at },
  onDelete,
}: {
  draft: ListedSubmission;
  onDelete: () => void;
}) {
  const headingId = `draft-${uuid}`;
  return (
    <li>
      <div>
        <h3 id={headingId}>{form.name}</h3>
        <p class="quiet">
          <StepCount formUuid={form.uuid} current={current_step} /> · last changed{' '}
          {CHANGED.format(new Date(updated_at))}
        </p>
      </div>
      <div class="buttons">
        <a class="button primary" href={draftAddress(form.uuid, uuid)} aria-describedby={headingId}>
          Continue
        </a>
        <button type="button" class="link" aria-describedby={headingId} onClick={onDelete}>
          Delete
        </button>
      </div>
    </li>
  );
}
