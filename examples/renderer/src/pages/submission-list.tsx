import { type ListedSubmission, UnauthenticatedError } from 'formtrail-client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useFocus } from '../focus';
import { sentenceFor } from '../page/trouble';
import { client } from '../service';

export type SubmissionPage = Awaited<ReturnType<typeof loadSubmissions>>;

/** Loads the user's newest submissions, from all devices, or those after `cursor`. */
export const loadSubmissions = (status: ListedSubmission['status'], cursor?: string) =>
  client.listSubmissions({ status, cursor });

interface SubmissionListProps {
  readonly status: ListedSubmission['status'];
  readonly first: SubmissionPage;
  readonly heading: string;
  readonly children: (submission: ListedSubmission, act: Act) => ComponentChildren;
}

/** Runs an action. The list shows why it failed. If it resolves to `gone`, the submission leaves the list. */
export type Act = (action: () => Promise<'gone' | undefined>) => void;

/** Drafts or completed submissions. Shows nothing if there are none. */
export function SubmissionList({ status, first, heading, children }: SubmissionListProps) {
  const [shown, setShown] = useState<readonly ListedSubmission[]>(first.data);
  const [cursor, setCursor] = useState(first.cursor);
  const [isLoading, setIsLoading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const focusOn = useFocus();

  const attempt = async (action: () => Promise<void>) => {
    setProblem(undefined);
    try {
      await action();
    } catch (error) {
      // For an invalid token, the app shows the sign-in screen.
      if (!(error instanceof UnauthenticatedError)) setProblem(sentenceFor(error));
    }
  };
  const showMore = async () => {
    if (isLoading) return;
    setIsLoading(true);
    try {
      const more = await loadSubmissions(status, cursor);
      setShown((all) => [...all, ...more.data]);
      setCursor(more.cursor);
      // After the last ones, the button disappears.
      if (more.data[0] !== undefined) focusOn(itemId(more.data[0]));
    } finally {
      setIsLoading(false);
    }
  };
  const actOn =
    ({ uuid }: ListedSubmission): Act =>
    (action) =>
      void attempt(async () => {
        if ((await action()) === 'gone') setShown((all) => all.filter((other) => other.uuid !== uuid));
      });

  if (shown.length === 0 && cursor === undefined) return null;
  return (
    <section aria-labelledby={status}>
      <h2 id={status}>{heading}</h2>
      {/* Safari drops the list role of lists without bullets, so set the role explicitly. */}
      <ul class="cards" role="list">
        {shown.map((submission) => (
          <li key={submission.uuid} class={status} id={itemId(submission)} tabIndex={-1}>
            {children(submission, actOn(submission))}
          </li>
        ))}
      </ul>
      {cursor !== undefined && (
        <p class="buttons">
          <button
            type="button"
            aria-describedby={status}
            aria-disabled={isLoading}
            onClick={() => void attempt(showMore)}
          >
            Show older ones
          </button>
        </p>
      )}
      <div role="alert">{problem !== undefined && <p class="error">{problem}</p>}</div>
    </section>
  );
}

const itemId = ({ uuid }: ListedSubmission) => `submission-${uuid}`;
