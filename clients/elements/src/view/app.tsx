import { type FormtrailError, UnauthenticatedError } from 'formtrail-client';
import type { DraftSnapshot } from 'formtrail-session';
import { withUnreadable } from 'formtrail-session/inputs';
import { HEADING } from '../ids.js';
import type { CodePageProps } from '../parts/code-page.js';
import type { Words } from '../words.js';
import type { Visit } from '../visit.js';
import { Completed } from './completed.js';
import { LATER } from './later.js';
import { ProofBar } from './proof-bar.js';
import { Review } from './review.js';
import { Step } from './step.js';

interface AppProps {
  readonly visit: Visit;
  readonly snapshot: DraftSnapshot;
  readonly words: Words;
}

/** The whole content of the shadow root, unless it is the list of forms. */
export function App(props: AppProps) {
  const leave = props.visit.page.leave();
  return (
    <>
      {leave && (
        <button type="button" part="button link" onClick={leave}>
          {props.words.text.allForms}
        </button>
      )}
      <Content {...props} />
    </>
  );
}

function Content({ visit, snapshot, words }: AppProps) {
  const { text, problem } = words;
  const isExpired = snapshot.respondent === 'expired';
  if (visit.given !== undefined) return <CodePage {...{ visit, words, isExpired }} error={undefined} />;
  switch (snapshot.status) {
    case 'loading':
      return <Loading {...{ words }} progress={snapshot.progress} waiting={visit.waiting} />;
    case 'failed':
      if (isExpired || visit.code !== undefined)
        return <CodePage {...{ visit, words, isExpired }} error={snapshot.error} />;
      if (snapshot.error instanceof UnauthenticatedError) return <SignIn {...{ words }} />;
      if ((snapshot.error as Partial<FormtrailError>).code === 'submission_not_found')
        return <Gone {...{ visit, words }} />;
      return (
        <Stopped
          title={text.failed}
          reason={problem(snapshot.error)}
          action={text.tryAgain}
          onAction={() => void visit.retry()}
        />
      );
    case 'discarded':
      return <Gone {...{ visit, words }} />;
    case 'completed':
      return <Completed {...{ visit, words }} shown={snapshot} />;
    case 'open': {
      if (isExpired) return <CodePage {...{ visit, words, isExpired }} error={snapshot.failure} />;
      const { isReadOnly } = snapshot;
      const Page = isReadOnly && LATER.Unavailable ? LATER.Unavailable : visit.isReviewing ? Review : Step;
      const Outline = isReadOnly ? undefined : visit.page.outline();
      // Other users sign in on the other device.
      const OtherDevice = snapshot.respondent && visit.page.device()?.OtherDevice;
      const page = { visit, words, shown: withUnreadable(snapshot, visit.unreadable, words.locale) };
      const content = (
        <>
          <Page {...page} />
          {OtherDevice && <OtherDevice {...page} />}
        </>
      );
      return (
        <>
          {snapshot.saving.kind === 'signed-out' && <SignIn {...{ words }} />}
          {Outline ? (
            <div part="layout">
              <Outline {...page} />
              <div>{content}</div>
            </div>
          ) : (
            content
          )}
          <p class="visually-hidden" aria-live="polite">
            {visit.announced}
          </p>
        </>
      );
    }
  }
}

/** Its script may be still on its way, or be gone. */
function CodePage(props: CodePageProps) {
  const { words, visit } = props;
  const { text } = words;
  const device = visit.page.device();
  if (device) return <device.CodePage {...props} />;
  if (device === undefined) return <Loading {...{ words }} />;
  return <Stopped title={text.failed} action={text.tryAgain} onAction={visit.page.loadDeviceAgain} />;
}

interface StoppedProps {
  readonly title: string;
  readonly reason?: string;
  readonly action: string;
  readonly onAction: () => void;
}

/** No draft is open. */
export function Stopped({ title, reason, action, onAction }: StoppedProps) {
  return (
    <div role="alert">
      <h2 id={HEADING} part="title" tabIndex={-1}>
        {title}
      </h2>
      {reason && <p>{reason}</p>}
      <button type="button" part="button primary" onClick={onAction}>
        {action}
      </button>
    </div>
  );
}

function Gone({ visit, words: { text } }: Pick<AppProps, 'visit' | 'words'>) {
  return <Stopped title={text.gone} action={text.beginAgain} onAction={() => visit.page.reopen()} />;
}

export function SignIn({ words: { text } }: Pick<AppProps, 'words'>) {
  return (
    <div part="notice" role="alert">
      <slot name="sign-in">
        <p>{text.signIn}</p>
      </slot>
    </div>
  );
}

interface LoadingProps {
  readonly words: Words;
  /** Progress of a proof of work, from 0 to 1, or undefined without one. */
  readonly progress?: number | undefined;
  /** Seconds that the client waits. */
  readonly waiting?: number | undefined;
}

export function Loading({ words, progress, waiting }: LoadingProps) {
  const { text } = words;
  return (
    <slot name="loading">
      <p part="loading" role="status">
        {waiting !== undefined
          ? text.waiting(waiting)
          : progress === undefined
            ? text.loading
            : text.preparing}
      </p>
      <ProofBar {...{ words, progress }} />
    </slot>
  );
}
