import type { Draft, DraftStep, Entry, Group, Outcome, Question, ShownDraft } from 'formtrail-session';
import { withUnreadable } from 'formtrail-session/inputs';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CHANGES_ID, entryId, HEADING_ID, placeId, PROBLEMS_ID, useFocus } from '../focus';
import { ActionButton } from '../page/action-button';
import { afterPointer } from '../page/after-pointer';
import { AnotherDevice } from '../page/another-device';
import { Changes } from '../page/changes';
import { confirmed } from '../page/dialog';
import { ErrorSummary } from '../page/error-summary';
import { Heading, Page } from '../page/page';
import { Progress } from '../page/progress';
import { Failure } from '../page/trouble';
import { type PlacedQuestion, problemsOn, questionsOn } from '../questions';
import { reviewAddress } from '../route';
import { say } from '../sentences';
import { BlockView } from './blocks';
import { GroupSection } from './group-section';

export interface DraftProps {
  /** Address of the draft. */
  readonly address: string;
  readonly draft: Draft;
  readonly shown: ShownDraft;
  /** Furthest position that the user has reached. */
  readonly furthest: number;
}

interface StepPageProps extends DraftProps {
  /** Id of the element to focus. */
  readonly focusId: string | undefined;
  /** A new object each time that errors have stopped a move. */
  readonly stopped: object | undefined;
  /** Questions whose date input shows something else than a date. */
  readonly unreadable: { readonly current: ReadonlySet<string> };
  /** Reads the date inputs. From now on, `shown` has a mistake at each that shows something else. Returns false if there are any. */
  readonly onReadDates: () => boolean;
  readonly onOutcome: (outcome: Outcome) => void;
}

export function StepPage(props: StepPageProps) {
  const { address, draft, shown, furthest, focusId, stopped, unreadable, onReadDates, onOutcome } = props;
  const { form, steps, step, saving, busy, failure, isUploading } = shown;
  const focusOn = useFocus();
  const [isChecking, setIsChecking] = useState(false);
  const [announced, setAnnounced] = useState('');
  // A screen reader announces only changed text, so vary a repeated text.
  const announce = (text: string) => setAnnounced((before) => (before === text ? `${text}\u00a0` : text));
  const title = step?.title ?? form.name;
  const [openEntries, setOpenEntries] = useState<Readonly<Record<string, number>>>({});
  /** Questions whose errors appear beside them only, because the user has not asked to go on yet. */
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());
  const problems = problemsOn(shown).filter(({ key }) => key === undefined || !checked.has(key));
  // A move that errors have stopped, with the button or a link, shows all of them in the summary.
  useEffect(() => {
    setChecked(new Set());
    if (stopped !== undefined) showProblems();
  }, [stopped]);
  useNewQuestions(step, announce);

  const open = ({ key }: Group, id: number) => setOpenEntries((before) => ({ ...before, [key]: id }));
  /** Opens the entry of an element, and keeps it open when others are added. */
  const unfold = (id: string) => {
    const opened = entryOf(id, step);
    if (opened !== undefined) open(...opened);
  };
  const reveal = (id: string) => {
    unfold(id);
    focusOn(id);
  };
  /** Shows the error summary. Opens the first entry with an error in each group whose open entry has none. */
  const showProblems = () => {
    for (const group of step?.blocks ?? []) {
      if (group.kind !== 'group') continue;
      const wrong = group.entries.filter(isWrong);
      const opened = openEntry(group, openEntries);
      if (wrong[0] !== undefined && !wrong.some(({ id }) => id === opened?.id)) open(group, wrong[0].id);
    }
    focusOn(PROBLEMS_ID);
  };
  // A new step has its own focus, even if errors have stopped the last move.
  useEffect(() => {
    if (focusId === undefined && problems.length > 0) showProblems();
    else reveal(focusId ?? HEADING_ID);
  }, [focusId]);

  const check = async (key: string) => {
    const before = draft.getSnapshot();
    // Going on checks the step.
    if (before.status !== 'open' || before.busy !== undefined) return;
    const known = withUnreadable(before, unreadable.current);
    if (known.mistakes.every((one) => one.key !== key)) setChecked((keys) => new Set(keys).add(key));
    onReadDates();
    await draft.check(key);
    const now = draft.getSnapshot();
    if (now.status !== 'open') return;
    const { mistakes } = withUnreadable(now, unreadable.current);
    const mistake = mistakes.find((one) => one.key === key)?.mistake;
    const question = questionsOn(step).find((one) => one.question.key === key)?.question;
    if (mistake !== undefined && question !== undefined) announce(say.labelled(mistake, question));
  };
  const onLeave = (key: string) => afterPointer(() => void check(key));

  /** Stops what would remove the inputs of an entry, or of the step, while one of them shows something else than a date. */
  const keepsDates = () => {
    const isStopped = !onReadDates();
    if (isStopped) onOutcome('mistakes');
    return isStopped;
  };
  const isBusy = () => (draft.getSnapshot() as Partial<ShownDraft>).busy !== undefined;
  const goOn = async (event: Event) => {
    event.preventDefault();
    // The second click of a double click.
    if (isBusy() || keepsDates()) return;
    setChecked(new Set());
    setIsChecking(true);
    const outcome = await draft.next();
    setIsChecking(false);
    if (outcome === 'changed') focusOn(CHANGES_ID);
    onOutcome(outcome);
  };
  const add = async (group: Group) => {
    if (keepsDates()) return;
    const { entity, key, entries } = group;
    const id = await draft.addEntry(entity.name);
    if (id !== undefined) announce(`${entity.label} ${entries.length + 1} added`);
    if (id !== undefined) open(group, id);
    focusOn(id === undefined ? placeId(key) : entryId(id));
  };
  const remove = async ({ entity, key }: Group, { id, number, blocks }: Entry) => {
    if (isBusy()) return;
    const name = `${entity.label} ${number}`;
    const hasAnswers = blocks.some(
      (block) => block.kind === 'question' && block.value !== (block.field.default_value ?? ''),
    );
    if (hasAnswers && !(await confirmed(`Remove ${name}?`, 'The answers in it will be deleted.', 'Remove')))
      return;
    if ((await draft.removeEntry(id)) !== 'done') return;
    announce(`${name} removed`);
    focusOn(placeId(key));
  };

  // A question accepts one file. In a group, each further file gets an entry of its own.
  const attach = async ({ key, field }: Question, [first, ...others]: readonly File[], group?: Group) => {
    unfold(placeId(key));
    if (first !== undefined) draft.upload(key, first);
    for (const [index, file] of others.entries()) {
      const id = group === undefined ? undefined : await draft.addEntry(group.entity.name);
      if (group === undefined || id === undefined) return others.slice(index);
      draft.upload(`${field.code}.${id}`, file);
      announce(`${group.entity.label} ${group.entries.length + index + 1} added`);
    }
    return [];
  };

  return (
    <Page
      title={`${problems.length > 0 ? 'Error: ' : ''}${title} – ${form.name}`}
      {...{ saving, isUploading }}
      aside={steps.length > 0 && <Progress position={step?.position} {...{ address, steps, furthest }} />}
    >
      {problems.length > 0 && (
        <ErrorSummary
          problems={problems}
          onFollow={(id) => (document.getElementById(id) || !keepsDates()) && reveal(id)}
        />
      )}
      {step && <p class="form-name">{form.name}</p>}
      <Heading>{title}</Heading>
      {step && step.description !== '' && <p class="lead">{step.description}</p>}
      <Changes {...{ address, shown }} />
      <form noValidate onSubmit={(event) => void goOn(event)}>
        {step?.blocks.map((block) =>
          block.kind === 'group' ? (
            <GroupSection
              key={block.key}
              group={block}
              openId={openEntry(block, openEntries)?.id}
              isBusy={busy !== undefined}
              onAdd={() => void add(block)}
              title={title}
              onEdit={({ id }) => {
                if (keepsDates()) return;
                open(block, id);
                focusOn(entryId(id));
              }}
              onRemove={(entry) => void remove(block, entry)}
              onFiles={(question, files) => attach(question, files, block)}
              {...{ draft, onLeave }}
            />
          ) : (
            <BlockView key={block.key} {...{ block, draft, onLeave }} takesSeveral={false} onFiles={attach} />
          ),
        )}
        <div class="buttons">
          <ActionButton
            label={shown.isLastStep ? 'Check your answers' : 'Next'}
            waiting={isUploading ? 'Uploading…' : 'Checking…'}
            isRunning={isChecking}
            isBusy={busy !== undefined}
          />
          {!shown.isFirstStep && (
            <button type="button" aria-disabled={busy !== undefined} onClick={() => void draft.back()}>
              Back
            </button>
          )}
          {furthest === Number.POSITIVE_INFINITY && !shown.isLastStep && (
            <a href={reviewAddress(address)}>Check your answers</a>
          )}
          <Failure {...{ isUploading }} error={failure} />
        </div>
      </form>
      <AnotherDevice {...{ draft, shown }} />
      <p class="visually-hidden" aria-live="polite">
        {announced}
      </p>
    </Page>
  );
}

/** The last entry of a group, until the user opens another one. */
function openEntry(
  { key, entries }: Group,
  openEntries: Readonly<Record<string, number>>,
): Entry | undefined {
  return entries.find(({ id }) => id === openEntries[key]) ?? entries.at(-1);
}

function isWrong({ blocks }: Entry): boolean {
  return blocks.some((block) => block.kind === 'question' && block.mistake !== undefined);
}

/** The entry that has the question with this element id. */
function entryOf(id: string, step: DraftStep | undefined): [Group, number] | undefined {
  for (const group of step?.blocks ?? []) {
    if (group.kind !== 'group') continue;
    const entry = group.entries.find(({ blocks }) => blocks.some(({ key }) => placeId(key) === id));
    if (entry !== undefined) return [group, entry.id];
  }
  return undefined;
}

/** Announces to screen readers that an answer has made questions appear. */
function useNewQuestions(step: DraftStep | undefined, announce: (text: string) => void): void {
  const before = useRef<readonly PlacedQuestion[] | undefined>(undefined);
  useEffect(() => {
    const now = questionsOn(step);
    const more = now.filter(
      ({ question, entry }) =>
        before.current?.every((other) => other.question.key !== question.key) &&
        // An added entry has its own announcement.
        (entry === undefined || before.current.some((other) => other.entry === entry)),
    ).length;
    before.current = now;
    if (more > 0) announce(more === 1 ? '1 more question' : `${more} more questions`);
  }, [step]);
}
