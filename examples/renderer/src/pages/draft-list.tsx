import { InvalidError, type ListedSubmission, UnauthenticatedError } from 'formtrail-client';
import { useState } from 'preact/hooks';
import { throwAway } from '../drafts';
import { sentenceFor } from '../page/trouble';
import { draftAddress } from '../route';
import { client } from '../service';

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
      if (!confirm(`Throw your draft of “${name}” away? Its answers are deleted for good.`)) return;
      try {
        await throwAway(uuid);
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
      <h2 id="drafts">Your drafts</h2>
      <ul class="forms" role="list">
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
  draft: { uuid, form, updated_at },
  onGiveUp,
}: {
  draft: ListedSubmission;
  onGiveUp: () => void;
}) {
  const headingId = `draft-${uuid}`;
  return (
    <li>
      <h3 id={headingId}>{form.name}</h3>
      <p class="quiet">Last changed {new Date(updated_at).toLocaleString()}</p>
      <p class="buttons">
        <a class="button primary" href={draftAddress(form.uuid, uuid)} aria-describedby={headingId}>
          Go on
        </a>
        <button type="button" aria-describedby={headingId} onClick={onGiveUp}>
          Throw away
        </button>
      </p>
    </li>
  );
}
