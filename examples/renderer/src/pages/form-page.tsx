import { NotFoundError } from 'formtrail-client';
import { useEffect, useState } from 'preact/hooks';
import { Draft } from '../draft/draft';
import { findDraft } from '../drafts';
import { Heading, Page } from '../page/page';
import { StatusLine } from '../page/status-line';
import { Trouble } from '../page/trouble';
import { client } from '../service';
import { useStore } from '../store';
import { useLoad } from '../use-load';
import { BeginButton } from './begin-button';
import { CompletedPage } from './completed-page';
import { GonePage } from './gone-page';
import { StepPage } from './step-page';

/** A form: to begin, or where its draft is. */
export function FormPage({ uuid, draftUuid }: { uuid: string; draftUuid: string | undefined }) {
  const [submissionUuid, setSubmissionUuid] = useState(draftUuid);
  return submissionUuid === undefined ? (
    <StartPage formUuid={uuid} onBegun={setSubmissionUuid} />
  ) : (
    <OpenedDraft key={submissionUuid} {...{ formUuid: uuid, submissionUuid }} onBegun={setSubmissionUuid} />
  );
}

interface BegunProps {
  readonly formUuid: string;
  readonly onBegun: (submissionUuid: string) => void;
}

/** For those who come by a link to the form. */
function StartPage({ formUuid, onBegun }: BegunProps) {
  const { load, again } = useLoad(async () => {
    const [form, draft] = await Promise.all([client.getForm(formUuid), findDraft(formUuid)]);
    if (draft !== undefined) onBegun(draft);
    return form.data;
  }, formUuid);
  if (load.kind === 'failed') return <Failed error={load.error} onTryAgain={again} />;
  if (load.kind === 'loading') return <Loading />;
  const { name, description, is_active } = load.result;
  return (
    <Page title={name} status={<StatusLine />}>
      <Heading focusOn={load.result}>{name}</Heading>
      <p class="lead">{description}</p>
      {is_active ? (
        <BeginButton formUuid={formUuid} onBegun={onBegun} />
      ) : (
        <p>This form is closed: it takes no new answers.</p>
      )}
    </Page>
  );
}

function OpenedDraft({
  formUuid,
  submissionUuid,
  onBegun,
}: BegunProps & { readonly submissionUuid: string }) {
  const { load, again } = useLoad(() => Draft.open(formUuid, submissionUuid), submissionUuid);
  if (load.kind === 'loading') return <Loading />;
  if (load.kind === 'loaded') return <DraftPage draft={load.result} onBegun={onBegun} />;
  if (load.error instanceof NotFoundError) return <GonePage {...{ formUuid, submissionUuid, onBegun }} />;
  return <Failed error={load.error} onTryAgain={again} />;
}

function DraftPage({ draft, onBegun }: { draft: Draft } & Pick<BegunProps, 'onBegun'>) {
  const view = useStore(draft.view);
  useEffect(() => {
    draft.start();
    return () => draft.close();
  }, [draft]);
  switch (view.outcome) {
    case 'open':
      return <StepPage draft={draft} view={view} />;
    case 'completed-here':
    case 'completed-elsewhere':
      return <CompletedPage view={view} onBegun={onBegun} />;
    case 'gone':
      return <GonePage formUuid={view.form.uuid} submissionUuid={view.submissionUuid} onBegun={onBegun} />;
  }
}

function Loading() {
  return (
    <Page title="Loading" status={<StatusLine />}>
      <Heading>Loading…</Heading>
    </Page>
  );
}

function Failed(props: { error: unknown; onTryAgain: () => void }) {
  return (
    <Page title="Error" status={<StatusLine />}>
      <Trouble {...props} />
    </Page>
  );
}
