import type { Block, Draft, DraftStep, Entry, Group, Outcome, ShownDraft } from 'formtrail-session';
import { useEffect, useRef, useState } from 'preact/hooks';
import { QuestionField } from '../fields/question';
import { CHANGES_ID, entryId, HEADING_ID, placeId, PROBLEMS_ID, useFocus } from '../focus';
import { ChangedElsewhere } from '../page/changed-elsewhere';
import { ErrorSummary } from '../page/error-summary';
import { Heading, Page } from '../page/page';
import { Progress } from '../page/progress';
import { sentenceFor } from '../page/trouble';
import { type PlacedQuestion, problemsOn, questionsOn } from '../questions';
import { sentenceOfMistake } from '../sentences';

export interface DraftProps {
  /** Of the draft. */
  readonly address: string;
  readonly draft: Draft;
  readonly shown: ShownDraft;
  /** The position that was come to so far. */
  readonly furthest: number;
}

interface StepPageProps extends DraftProps {
  /** The id of what the person came for. */
  readonly cameFor: string | undefined;
  /** Another object each time that there were mistakes on the way. */
  readonly stopped: object | undefined;
  readonly onOutcome: (outcome: Outcome) => void;
}

export function StepPage({ address, draft, shown, furthest, cameFor, stopped, onOutcome }: StepPageProps) {
  const { form, steps, step, progress, saving, busy, failure } = shown;
  const focusOn = useFocus();
  const [said, setSaid] = useState('');
  // The same text twice would be heard once.
  const say = (text: string) => setSaid((before) => (before === text ? `${text}\u00a0` : text));
  const title = step?.title ?? form.name;
  const problems = problemsOn(shown);
  useAppearance(step, say);

  useEffect(() => {
    focusOn(cameFor ?? (problems.length > 0 ? PROBLEMS_ID : HEADING_ID));
  }, [cameFor]);

  const goOn = async (event: Event) => {
    event.preventDefault();
    const outcome = await draft.next();
    if (outcome === 'changed') focusOn(CHANGES_ID);
    onOutcome(outcome);
  };
  const add = async ({ entity, key, entries }: Group) => {
    const id = await draft.addEntry(entity.name);
    if (id !== undefined) say(`${entity.label} ${entries.length + 1} added`);
    focusOn(id === undefined ? placeId(key) : entryId(id));
  };
  const remove = async ({ entity, key }: Group, { id, number, blocks }: Entry) => {
    const name = `${entity.label} ${number}`;
    const hasAnswers = blocks.some(
      (block) => block.kind === 'question' && block.value !== (block.field.default_value ?? ''),
    );
    if (hasAnswers && !confirm(`Remove ${name} with the answers in it?`)) return;
    if ((await draft.removeEntry(id)) !== 'done') return;
    say(`${name} removed`);
    focusOn(placeId(key));
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
      <ChangedElsewhere {...{ address, shown }} />
      <form noValidate onSubmit={(event) => void goOn(event)}>
        {step?.blocks.map((block) =>
          block.kind === 'group' ? (
            <GroupSection
              key={block.key}
              group={block}
              isBusy={busy !== undefined}
              onAdd={() => void add(block)}
              onRemove={(entry) => void remove(block, entry)}
              draft={draft}
            />
          ) : (
            <BlockView key={block.key} block={block} draft={draft} />
          ),
        )}
        <div class="buttons">
          <button class="primary" aria-disabled={busy !== undefined}>
            {shown.isLastStep ? 'Check your answers' : 'Next'}
          </button>
          {!shown.isFirstStep && (
            <button type="button" aria-disabled={busy !== undefined} onClick={() => void draft.back()}>
              Back
            </button>
          )}
          <p class="error" role="alert">
            {failure !== undefined && sentenceFor(failure)}
          </p>
        </div>
      </form>
      <p class="visually-hidden" aria-live="polite">
        {said}
      </p>
    </Page>
  );
}

function BlockView({ block, draft }: { block: Exclude<Block, Group>; draft: Draft }) {
  if (block.kind === 'question') {
    return (
      <QuestionField
        question={block}
        onChange={(value) => draft.change(block.key, value)}
        onResolve={(choice) => draft.resolve(block.key, choice)}
      />
    );
  }
  const { label, description, field_type } = block.field;
  const isHeading = field_type.component === 'heading-display';
  return (
    <>
      {isHeading ? <h2>{label}</h2> : <p>{label}</p>}
      {description && <p class={isHeading ? undefined : 'description'}>{description}</p>}
    </>
  );
}

interface GroupSectionProps {
  readonly group: Group;
  readonly isBusy: boolean;
  readonly draft: Draft;
  readonly onAdd: () => void;
  readonly onRemove: (entry: Entry) => void;
}

/** What is filled in once for each thing that there is: each receipt, each child. */
function GroupSection({ group, isBusy, draft, onAdd, onRemove }: GroupSectionProps) {
  const { key, entity, entries, hasRoom, mistake } = group;
  const [headingId, errorId] = [hasRoom ? `${placeId(key)}-heading` : placeId(key), `${placeId(key)}-error`];
  return (
    <section class="group" aria-labelledby={headingId}>
      {/* Where there is no button to lead to, this is what messages and the focus lead to. */}
      <h2 id={headingId} tabIndex={hasRoom ? undefined : -1}>
        {entity.label}
      </h2>
      {entries.map((entry) => (
        <fieldset key={entry.id} class="entry" id={entryId(entry.id)} tabIndex={-1}>
          <legend>{`${entity.label} ${entry.number}`}</legend>
          <button type="button" class="link remove" aria-disabled={isBusy} onClick={() => onRemove(entry)}>
            Remove
            <span class="visually-hidden">
              {' '}
              {entity.label} {entry.number}
            </span>
          </button>
          {entry.blocks.map((block) => (
            <BlockView key={block.key} block={block} draft={draft} />
          ))}
        </fieldset>
      ))}
      {mistake !== undefined && (
        <p class="error" id={errorId}>
          <span class="visually-hidden">Error: </span>
          {sentenceOfMistake(mistake)}
        </p>
      )}
      {hasRoom && (
        <button
          type="button"
          id={placeId(key)}
          aria-disabled={isBusy}
          aria-describedby={mistake === undefined ? undefined : errorId}
          onClick={onAdd}
        >
          Add {entity.label}
        </button>
      )}
    </section>
  );
}

/** Says what appears on the step because of an answer, to those who do not see it appear. */
function useAppearance(step: DraftStep | undefined, say: (text: string) => void): void {
  const before = useRef<readonly PlacedQuestion[] | undefined>(undefined);
  useEffect(() => {
    const now = questionsOn(step);
    const more = now.filter(
      ({ question, entry }) =>
        before.current?.every((other) => other.question.key !== question.key) &&
        // Of an entry that was added it is said that it was.
        (entry === undefined || before.current.some((other) => other.entry === entry)),
    ).length;
    before.current = now;
    if (more > 0) say(more === 1 ? '1 more question' : `${more} more questions`);
  }, [step]);
}
