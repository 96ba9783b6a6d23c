import type { Draft, DraftStep, Entry, Group, Outcome, Question, ShownDraft } from 'formtrail-session';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CHANGES_ID, entryId, HEADING_ID, placeId, PROBLEMS_ID, useFocus } from '../focus';
import { AnotherDevice } from '../page/another-device';
import { Changes } from '../page/changes';
import { ErrorSummary } from '../page/error-summary';
import { Heading, Page } from '../page/page';
import { Progress } from '../page/progress';
import { Failure } from '../page/trouble';
import { type PlacedQuestion, problemsOn, questionsOn } from '../questions';
import { reviewAddress } from '../route';
import { BlockView, GroupSection } from './blocks';

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
  readonly onOutcome: (outcome: Outcome) => void;
}

export function StepPage({ address, draft, shown, furthest, focusId, stopped, onOutcome }: StepPageProps) {
  const { form, steps, step, progress, saving, busy, failure, isUploading } = shown;
  const focusOn = useFocus();
  const [announced, setAnnounced] = useState('');
  // A screen reader announces only changed text, so vary a repeated text.
  const announce = (text: string) => setAnnounced((before) => (before === text ? `${text}\u00a0` : text));
  const title = step?.title ?? form.name;
  const problems = problemsOn(shown);
  useNewQuestions(step, announce);

  useEffect(() => {
    focusOn(focusId ?? (problems.length > 0 ? PROBLEMS_ID : HEADING_ID));
  }, [focusId]);

  const goOn = async (event: Event) => {
    event.preventDefault();
    const outcome = await draft.next();
    if (outcome === 'changed') focusOn(CHANGES_ID);
    onOutcome(outcome);
  };
  const add = async ({ entity, key, entries }: Group) => {
    const id = await draft.addEntry(entity.name);
    if (id !== undefined) announce(`${entity.label} ${entries.length + 1} added`);
    focusOn(id === undefined ? placeId(key) : entryId(id));
  };
  const remove = async ({ entity, key }: Group, { id, number, blocks }: Entry) => {
    const name = `${entity.label} ${number}`;
    const hasAnswers = blocks.some(
      (block) => block.kind === 'question' && block.value !== (block.field.default_value ?? ''),
    );
    if (hasAnswers && !confirm(`Remove ${name} with the answers in it?`)) return;
    if ((await draft.removeEntry(id)) !== 'done') return;
    announce(`${name} removed`);
    focusOn(placeId(key));
  };

  // A question accepts one file. In a group, each further file gets an entry of its own.
  const attach = async ({ key, field }: Question, [first, ...others]: readonly File[], group?: Group) => {
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
      saving={saving}
      aside={
        steps.length > 0 && (
          <Progress position={step?.position} percentage={progress} {...{ address, steps, furthest }} />
        )
      }
    >
      {problems.length > 0 && <ErrorSummary problems={problems} occasion={stopped} />}
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
              isBusy={busy !== undefined}
              onAdd={() => void add(block)}
              onRemove={(entry) => void remove(block, entry)}
              onFiles={(question, files) => attach(question, files, block)}
              draft={draft}
            />
          ) : (
            <BlockView key={block.key} {...{ block, draft }} takesSeveral={false} onFiles={attach} />
          ),
        )}
        <div class="buttons">
          <button class="primary" aria-disabled={busy !== undefined}>
            {busy === 'moving' && isUploading
              ? 'Uploading…'
              : shown.isLastStep
                ? 'Check your answers'
                : 'Next'}
          </button>
          {!shown.isFirstStep && (
            <button type="button" aria-disabled={busy !== undefined} onClick={() => void draft.back()}>
              Back
            </button>
          )}
          {furthest === Number.POSITIVE_INFINITY && !shown.isLastStep && (
            <a href={reviewAddress(address)}>Check your answers</a>
          )}
          <Failure error={failure} />
        </div>
      </form>
      <AnotherDevice {...{ draft, shown }} />
      <p class="visually-hidden" aria-live="polite">
        {announced}
      </p>
    </Page>
  );
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
