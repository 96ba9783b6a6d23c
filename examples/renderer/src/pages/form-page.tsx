import { NotFoundError } from 'formtrail-client';
import { Draft, type Outcome, type ShownDraft } from 'formtrail-session';
import { unreadableDates, withUnreadable } from 'formtrail-session/inputs';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Failed, Loading } from '../page/loading';
import { NewHeading, Page } from '../page/page';
import { NEW } from '../new-draft';
import { stepOf } from '../questions';
import { draftAddress, type DraftPlace, goTo, reviewAddress, route, stepAddress } from '../route';
import { client, signedIn } from '../service';
import { useStore } from '../store';
import { useLoad } from '../use-load';
import { handOver, submissionOf, takeOver } from '../visitor';
import { BeginButton } from './begin-button';
import { CompletedPage } from './completed-page';
import { ExpiredPage } from './expired-page';
import { GonePage } from './gone-page';
import { ReviewPage } from './review-page';
import { StepPage } from './step-page';
import { VisitorStartPage } from './visitor-start-page';

interface FormPageProps {
  readonly uuid: string;
  readonly draftUuid: string | undefined;
  readonly place: DraftPlace | undefined;
}

/** The start page of a form, or a draft of it. */
export function FormPage({ uuid, draftUuid, place }: FormPageProps) {
  return draftUuid === undefined ? (
    <StartPage formUuid={uuid} />
  ) : (
    <DraftPage formUuid={uuid} submission={draftUuid} place={place} />
  );
}

interface VisitorFormPageProps extends FormPageProps {
  readonly signIn: ComponentChildren;
}

/** The pages of a form for a visitor without a token: those of a public form, or else the sign-in screen. */
export function VisitorFormPage({ uuid, draftUuid, place, signIn }: VisitorFormPageProps) {
  const { load, again } = useLoad(async () => (await client.getForm(uuid)).data, uuid);
  if (load.kind === 'failed') return <Failed error={load.error} onTryAgain={again} />;
  if (load.kind === 'loading')
    return <Loading shape={draftUuid === undefined ? 'start' : (place?.kind ?? 'step')} />;
  if (load.result.access !== 'public') return <>{signIn}</>;
  return draftUuid === undefined ? (
    <VisitorStartPage form={load.result} />
  ) : (
    <DraftPage key={draftUuid} formUuid={uuid} submission={draftUuid} place={place} />
  );
}

/** Shown for a link to the form. If the user has a draft of it, from any device, redirects to the newest one. */
function StartPage({ formUuid }: { formUuid: string }) {
  const openDraft = (draftUuid: string) => goTo(draftAddress(formUuid, draftUuid), 'replace');
  // The token of a preview can begin a form that is not active. Its page shows the form at once, because the panel loads it again
  // after each change.
  const isPreview = signedIn.getSnapshot().token?.startsWith('ftr_') === true;
  const { load, again } = useLoad(async () => {
    const [form, drafts] = await Promise.all([
      client.getForm(formUuid),
      client.listSubmissions({ form_uuid: formUuid, status: 'draft', per_page: 1 }),
    ]);
    const newest = drafts.data[0]?.uuid ?? (isPreview ? NEW : undefined);
    if (newest !== undefined) openDraft(newest);
    return form.data;
  }, formUuid);
  if (load.kind === 'failed') return <Failed error={load.error} onTryAgain={again} />;
  if (load.kind === 'loading') return <Loading shape="start" />;
  const { name, description, is_active } = load.result;
  return (
    <Page title={name}>
      <NewHeading>{name}</NewHeading>
      <p class="lead">{description}</p>
      {is_active || isPreview ? (
        <BeginButton formUuid={formUuid} onOpen={openDraft} />
      ) : (
        <p>This form is closed and accepts no new answers.</p>
      )}
    </Page>
  );
}

interface DraftPageProps {
  readonly formUuid: string;
  readonly submission: string;
  readonly place: DraftPlace | undefined;
}

function DraftPage({ formUuid, submission, place }: DraftPageProps) {
  const draft = useMemo(
    () =>
      takeOver(submission) ??
      new Draft({ client, form: formUuid, submission: submission === NEW ? undefined : submission }),
    [formUuid, submission],
  );
  const snapshot = useStore(draft);
  /** The last attempt on the page for an expired token. Kept here, because the page is replaced while the draft loads. */
  const [attempt, setAttempt] = useState<string>();
  const expired = (error: unknown) => (
    <ExpiredPage
      {...{ attempt, error }}
      onAttempt={(code) => {
        setAttempt(code);
        void (code === '' ? draft.beginAgain() : draft.resume(code));
      }}
    />
  );
  // A respondent who begins again, or enters a resume code, gets another submission.
  const current = ('submission' in snapshot ? snapshot.submission : undefined) ?? submission;
  useEffect(() => {
    if (current === submission) return;
    handOver(draft);
    // The first answer begins the draft: the page stays, so that the person can go on typing. The next step has the new address.
    const begun = location.hash.replace(`/${NEW}`, `/${current}`);
    if (submission === NEW && begun !== location.hash) history.replaceState(null, '', begun);
    else goTo(draftAddress(formUuid, current), 'replace');
  }, [current]);
  switch (snapshot.status) {
    case 'loading':
      return <Loading shape={place?.kind ?? 'step'} progress={snapshot.progress} />;
    case 'failed':
      if (snapshot.respondent === 'expired') return expired(snapshot.error);
      if (snapshot.error instanceof NotFoundError) return <GonePage formUuid={formUuid} />;
      return <Failed error={snapshot.error} onTryAgain={() => draft.retry()} />;
    case 'discarded':
      return <GonePage formUuid={formUuid} />;
    case 'completed':
      return <CompletedPage {...{ draft }} shown={snapshot} />;
    case 'open':
      if (snapshot.respondent === 'expired') return expired(snapshot.failure);
      return (
        <OpenDraft address={draftAddress(formUuid, current)} draft={draft} shown={snapshot} place={place} />
      );
  }
}

interface OpenDraftProps {
  readonly address: string;
  readonly draft: Draft;
  readonly shown: ShownDraft;
  readonly place: DraftPlace | undefined;
}

/** Keeps the current step of the draft and the address in sync, so that the browser's Back button goes back step by step. */
function OpenDraft({ address, draft, place, ...props }: OpenDraftProps) {
  const following = useRef({ isMoving: false, last: Promise.resolve() });
  const [furthest, setFurthest] = useState(0);
  const [stopped, setStopped] = useState<object>();
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(new Set());
  const shown = withUnreadable(props.shown, unreadable);
  const position = shown.step?.position;
  const requested = place?.kind === 'review' ? shown.steps.at(-1)?.position : positionOf(place, shown);
  const reached = place?.kind === 'review' ? Number.POSITIVE_INFINITY : (position ?? 0);
  const onOutcome = (outcome: Outcome) => {
    // The action may have begun the draft.
    if (outcome === 'last') goTo(reviewAddress(draftAddress(shown.form.uuid, submissionOf(draft) ?? NEW)));
    if (outcome === 'mistakes') setStopped({});
  };
  /** Like `unreadable`, but up to date before the page is rendered again. */
  const unreadableNow = useRef(unreadable);
  const mark = (keys: ReadonlySet<string>) => {
    unreadableNow.current = keys;
    setUnreadable(keys);
  };
  const readDates = () => {
    mark(unreadableDates(document, (key, value) => draft.change(key, value)));
    return unreadableNow.current.size === 0;
  };
  const follow = async () => {
    // The address may have changed again, or may name a step that is not shown.
    if (place === undefined || requested === stepOf(draft)?.position || !isShown(place)) return;
    following.current.isMoving = true;
    const isForward = (requested ?? 0) > (stepOf(draft)?.position ?? 0);
    if (isForward && !readDates()) onOutcome('mistakes');
    else if (requested !== undefined && shown.steps.some((step) => step.position === requested))
      onOutcome(await draft.goTo(requested));
    following.current.isMoving = false;
    const actual = stepOf(draft);
    // Field errors stopped the move, or the step is not shown.
    if (actual !== undefined && actual.position !== requested && isShown(place))
      goTo(stepAddress(address, actual), 'replace');
  };

  useEffect(() => {
    if (!shown.isUploading) return;
    // Unsaved text stays on the device; unfinished uploads are lost.
    const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', askFirst);
    return () => removeEventListener('beforeunload', askFirst);
  }, [shown.isUploading]);
  useEffect(() => setFurthest((before) => Math.max(before, reached)), [reached]);
  useEffect(() => mark(new Set()), [position]);
  // A whole date removes its mark at once.
  useEffect(() => {
    if (unreadable.size > 0) readDates();
  }, [props.shown]);
  useEffect(() => {
    following.current.last = following.current.last.then(follow);
  }, [place]);
  useEffect(() => {
    if (shown.step === undefined || position === requested || following.current.isMoving) return;
    goTo(stepAddress(address, shown.step), requested === undefined ? 'replace' : 'push');
  }, [position]);

  useFirstEntries(draft, shown);

  const page = { address, draft, shown, furthest };
  if (place?.kind === 'review' && requested === position) return <ReviewPage {...page} />;
  return (
    <StepPage
      key={shown.step?.id}
      {...page}
      focusId={place?.kind === 'step' && requested === position ? place.focus : undefined}
      stopped={stopped}
      unreadable={unreadableNow}
      onReadDates={readDates}
      onOutcome={onOutcome}
    />
  );
}

/** Adds the first entry of a group with a minimum when the group appears. A page that was only opened stays as it is. */
function useFirstEntries(draft: Draft, { step, busy }: ShownDraft): void {
  const seen = useRef<Set<string>>(undefined);
  useEffect(() => {
    if (busy !== undefined) return;
    const groups = (step?.blocks ?? []).filter((block) => block.kind === 'group');
    seen.current ??= new Set(groups.map(({ key }) => key));
    for (const { key, entity, entries, mistake } of groups) {
      if (seen.current.has(key)) continue;
      seen.current.add(key);
      if (!entity.min_records || entries.length > 0 || mistake !== undefined) continue;
      void draft.addEntry(entity.name);
      // Groups after it follow when it has its entry.
      return;
    }
  }, [step, busy]);
}

/** Position of the step that an address names. Undefined if the form no longer has it: then the page shows the current step. */
function positionOf(place: DraftPlace | undefined, { form, steps }: ShownDraft): number | undefined {
  if (place?.kind !== 'step') return undefined;
  if (place.id === undefined) return Math.min(place.position ?? 1, steps.at(-1)?.position ?? 1);
  const index = form.steps.findIndex(({ id }) => id === place.id);
  return index < 0 ? undefined : index + 1;
}

function isShown(place: DraftPlace | undefined): boolean {
  const shown = route.getSnapshot();
  return shown.name === 'form' && shown.place === place;
}
