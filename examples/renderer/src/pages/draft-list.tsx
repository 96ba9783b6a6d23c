import { InvalidError, type ListedSubmission, UnauthenticatedError } from 'formtrail-client';
import { discardDraft } from 'formtrail-session';
import { useState } from 'preact/hooks';
import { sentenceFor } from '../page/trouble';
import { draftAddress } from '../route';
import { client } from '../service';
import { StepCount } from './step-count';

/** Where and as the reader is at home. */
const CHANGED = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export type DraftPage = Awaited<ReturnType<typeof loadDrafts>>;

/** The newest, or those from `cursor` on. */
export const loadDrafts = (cursor?: string) => client.listSubmissions({ status: 'draft', cursor });

/** What this person has begun, on whichever device. */
export function DraftList({ first, onGivenUp }: { first: DraftPage; onGivenUp: () => void }) {
  const [drafts, setDrafts] = useState<readonly ListedSubmission[]>(first.data);
  const [cursor, setCursor] = useState(first.cursor);
  const [problem, setProblem] = useState<string>();

  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      // The app asks for another token.
      if (!(error instanceof UnauthenticatedError)) setProblem(sentenceFor(error));
    }
  };
  const giveUp = ({ uuid, form: { name } }: ListedSubmission) =>
    attempt(async () => {
      if (!confirm(`Delete your draft of “${name}”? Its answers are deleted for good.`)) return;
      try {
        await discardDraft({ client, submission: uuid });
      } catch (error) {
        // It was completed elsewhere: no draft any more either.
        if (!(error instanceof InvalidError)) throw error;
      }
      setDrafts((all) => all.filter((draft) => draft.uuid !== uuid));
      onGivenUp();
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
          <DraftItem key={draft.uuid} draft={draft} onGiveUp={() => void giveUp(draft)} />
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
  onGiveUp,
}: {
  draft: ListedSubmission;
  onGiveUp: () => void;
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
        <button type="button" class="link" aria-describedby={headingId} onClick={onGiveUp}>
          Delete
        </button>
      </div>
    </li>
  );
}
