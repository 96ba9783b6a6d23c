import type { Form } from 'formtrail-client';
import { Draft } from 'formtrail-session';
import { useState } from 'preact/hooks';
import { HEADING_ID, useFocus } from '../focus';
import { CodeForm } from '../page/code-form';
import { Loading } from '../page/loading';
import { Heading, NewHeading, Page } from '../page/page';
import { Failure } from '../page/trouble';
import { hasAnswers } from '../questions';
import { NEW } from '../new-draft';
import { draftAddress, goTo } from '../route';
import { client, goOnWithoutToken } from '../service';
import { useStore } from '../store';
import { arrivedCode, handOver, submissionOf } from '../visitor';
import { askWhichDraft } from './begin-button';

interface Attempt {
  readonly draft: Draft;
  /** Undefined to begin, or to continue the draft of this browser. */
  readonly code: string | undefined;
}

/** The start page of a public form for a visitor without a token. */
export function VisitorStartPage({ form }: { form: Form }) {
  const arrived = useStore(arrivedCode);
  const focusOn = useFocus();
  const [attempt, setAttempt] = useState<Attempt>();
  const [failed, setFailed] = useState<{ code: string | undefined; error: unknown }>();
  const given = arrived?.formUuid === form.uuid ? arrived.code : undefined;

  /** Resolves to undefined if it fails. Without a code, opens the draft of this browser, or a new draft, which begins with the first answer. */
  const open = async (draft: Draft, code?: string): Promise<Draft | undefined> => {
    setFailed(undefined);
    setAttempt({ draft, code });
    await (code === undefined ? draft.open() : draft.resume(code));
    // The token of the last visit has expired.
    if (code === undefined && draft.getSnapshot().respondent === 'expired') await draft.beginAgain();
    const snapshot = draft.getSnapshot();
    if ('form' in snapshot) return draft;
    setFailed({ code, error: snapshot.status === 'failed' ? snapshot.error : undefined });
    setAttempt(undefined);
    return undefined;
  };
  const show = (draft: Draft | undefined) => {
    if (draft === undefined) return;
    arrivedCode.set(undefined);
    goOnWithoutToken();
    handOver(draft);
    goTo(draftAddress(form.uuid, submissionOf(draft) ?? NEW));
  };
  const begin = async () => {
    const draft = await open(new Draft({ client, form: form.uuid }));
    const snapshot = draft?.getSnapshot();
    if (snapshot?.status !== 'open' || !hasAnswers(snapshot)) {
      show(draft);
      return;
    }
    setAttempt(undefined);
    const choice = await askWhichDraft('This browser has a draft of this form.');
    if (choice === 'continue') show(draft);
    else if (choice === 'new') show(await open(new Draft({ client, form: form.uuid, submission: null })));
    else focusOn(HEADING_ID);
  };
  const resume = async (code: string) => show(await open(new Draft({ client, form: form.uuid }), code));

  if (attempt) return <Opening draft={attempt.draft} />;
  const code = failed?.code ?? given;
  // After a rejected code, its input gets the focus.
  const Title = failed?.code === undefined ? NewHeading : Heading;
  const codeForm = (
    <section aria-labelledby="resume">
      <h2 id="resume">Continue from another device</h2>
      <CodeForm
        given={code}
        error={failed?.code === undefined ? undefined : failed.error}
        onCode={(code) => void resume(code)}
      />
    </section>
  );
  return (
    <Page title={form.name}>
      <Title>{form.name}</Title>
      <p class="lead">{form.description}</p>
      {given !== undefined && codeForm}
      {form.is_active ? (
        <div class="buttons">
          <button
            type="button"
            class={code === undefined ? 'primary' : undefined}
            onClick={() => void begin()}
          >
            Begin
          </button>
          <Failure error={failed?.code === undefined ? failed?.error : undefined} />
        </div>
      ) : (
        <p>This form is closed and accepts no new answers.</p>
      )}
      {given === undefined && codeForm}
    </Page>
  );
}

/** Shows the progress of a proof of work. */
function Opening({ draft }: { draft: Draft }) {
  const snapshot = useStore(draft);
  return <Loading shape="step" progress={snapshot.status === 'loading' ? snapshot.progress : undefined} />;
}
