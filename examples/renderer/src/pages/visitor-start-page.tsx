import type { Form } from 'formtrail-client';
import { Draft } from 'formtrail-session';
import { useState } from 'preact/hooks';
import { CodeForm } from '../page/code-form';
import { Loading } from '../page/loading';
import { NewHeading, Page } from '../page/page';
import { Failure } from '../page/trouble';
import { draftAddress, goTo } from '../route';
import { client } from '../service';
import { useStore } from '../store';
import { arrivedCode, handOver, submissionOf } from '../visitor';

interface Attempt {
  readonly draft: Draft;
  /** Undefined to begin, or to continue the draft of this browser. */
  readonly code: string | undefined;
}

/** The start page of a public form for a visitor without a token. */
export function VisitorStartPage({ form }: { form: Form }) {
  const arrived = useStore(arrivedCode);
  const [attempt, setAttempt] = useState<Attempt>();
  const [failed, setFailed] = useState<{ code: string | undefined; error: unknown }>();
  const given = arrived?.formUuid === form.uuid ? arrived.code : undefined;

  const open = async (code: string | undefined) => {
    const draft = new Draft({ client, form: form.uuid });
    setFailed(undefined);
    setAttempt({ draft, code });
    await (code === undefined ? draft.open() : draft.resume(code));
    const snapshot = draft.getSnapshot();
    const submission = submissionOf(draft);
    if (submission === undefined) {
      setFailed({ code, error: snapshot.status === 'failed' ? snapshot.error : undefined });
      setAttempt(undefined);
      return;
    }
    arrivedCode.set(undefined);
    handOver(draft);
    goTo(draftAddress(form.uuid, submission));
  };

  if (attempt) return <Opening draft={attempt.draft} />;
  const codeForm = (
    <section aria-labelledby="resume">
      <h2 id="resume">Continue from another device</h2>
      <CodeForm
        given={failed?.code ?? given}
        error={failed?.code === undefined ? undefined : failed.error}
        onCode={(code) => void open(code)}
      />
    </section>
  );
  return (
    <Page title={form.name}>
      <NewHeading>{form.name}</NewHeading>
      <p class="lead">{form.description}</p>
      {given !== undefined && codeForm}
      {form.is_active ? (
        <div class="buttons">
          <button
            type="button"
            class={given === undefined ? 'primary' : undefined}
            onClick={() => void open(undefined)}
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
  return <Loading progress={snapshot.status === 'loading' ? snapshot.progress : undefined} />;
}
