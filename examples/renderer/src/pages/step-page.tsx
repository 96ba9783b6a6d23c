import type { Step } from 'formtrail-client';
import { useEffect } from 'preact/hooks';
import { groupKey, type PlaceKey, recordIdOf } from '../draft/answer-key';
import type { Draft } from '../draft/draft';
import type { DraftView } from '../draft/draft-view';
import { blocksOf, type Entry, type Group, placesOf, type ShownField, walkedSteps } from '../draft/questions';
import { Question } from '../fields/question';
import { ErrorSummary, type Problem } from '../page/error-summary';
import { Heading, Page } from '../page/page';
import { Progress } from '../page/progress';
import { StatusLine } from '../page/status-line';

interface StepPageProps {
  readonly draft: Draft;
  readonly view: DraftView;
}

export function StepPage({ draft, view }: StepPageProps) {
  const { form, steps, position, progress, saving, busy, notice, announcement, focus } = view;
  const walked = walkedSteps(steps, view);
  const step = steps[position - 1]?.step;
  const blocks = step ? blocksOf(step, view) : [];
  const title = step?.title ?? form.name;
  const isFirst = !walked.some((other) => other.position < position);
  const isLast = !walked.some((other) => other.position > position);
  const problems = problemsOf(step, view);

  useEffect(() => {
    if (focus.on === 'place') document.getElementById(placeId(focus.key))?.focus();
    if (focus.on === 'entry') document.getElementById(entryId(focus.recordId))?.focus();
  }, [focus]);

  const goOn = (event: Event) => {
    event.preventDefault();
    void (isLast ? draft.submit() : draft.next());
  };

  return (
    <Page
      title={`${problems.length > 0 ? 'Error: ' : ''}${title} – ${form.name}`}
      status={<StatusLine saving={saving} />}
      aside={walked.length > 0 && <Progress walked={walked} position={position} percentage={progress} />}
    >
      {problems.length > 0 && (
        <ErrorSummary problems={problems} focusOn={focus.on === 'problems' ? focus : undefined} />
      )}
      {step && <p class="form-name">{form.name}</p>}
      <Heading focusOn={focus.on === 'heading' ? focus : undefined}>{title}</Heading>
      {step && step.description !== '' && <p class="lead">{step.description}</p>}
      <div aria-live="polite">{notice !== undefined && <p class="notice">{notice}</p>}</div>
      <form noValidate onSubmit={goOn}>
        {/* What is being submitted is what was seen: nothing can be changed meanwhile. */}
        <div key={position} inert={busy === 'submitting'}>
          {blocks.map((block) =>
            block.kind === 'field' ? (
              <FieldOf key={block.shown.key} shown={block.shown} {...{ draft, view }} />
            ) : (
              <GroupOf key={groupKey(block.entity.name)} group={block} {...{ draft, view }} />
            ),
          )}
        </div>
        <p class="buttons">
          <button class="primary" aria-disabled={busy !== 'no'}>
            {isLast ? 'Submit' : 'Next'}
          </button>
          {!isFirst && (
            <button type="button" aria-disabled={busy !== 'no'} onClick={() => void draft.back()}>
              Back
            </button>
          )}
        </p>
      </form>
      <p class="visually-hidden" aria-live="polite">
        {announcement}
      </p>
    </Page>
  );
}

function FieldOf({ shown, draft, view }: StepPageProps & { shown: ShownField }) {
  const { field, key, isRequired } = shown;
  if (field.field_type.component === 'heading-display') {
    return (
      <>
        <h2>{field.label}</h2>
        {field.description && <p>{field.description}</p>}
      </>
    );
  }
  if (field.field_type.component === 'paragraph-display') {
    return (
      <>
        <p>{field.label}</p>
        {field.description && <p class="description">{field.description}</p>}
      </>
    );
  }
  return (
    <Question
      field={field}
      id={placeId(key)}
      value={view.values.get(key) ?? ''}
      isRequired={isRequired}
      error={view.problems.get(key) ?? view.refusals.get(key)}
      onChange={(value, by) => draft.change(key, value, by)}
    />
  );
}

/** What is filled in once for each thing that there is: each receipt, each child. */
function GroupOf({ group, draft, view }: StepPageProps & { group: Group }) {
  const { entity, entries, hasRoom } = group;
  const key = groupKey(entity.name);
  const error = view.problems.get(key);
  const [headingId, errorId] = [hasRoom ? `${placeId(key)}-heading` : placeId(key), `${placeId(key)}-error`];
  return (
    <section class="group" aria-labelledby={headingId}>
      {/* Where there is no button to lead to, this is what messages and the focus lead to. */}
      <h2 id={headingId} tabIndex={hasRoom ? undefined : -1}>
        {entity.label}
      </h2>
      {entries.map((entry) => (
        <EntryOf key={entry.record.id} {...{ entry, draft, view }} />
      ))}
      {error !== undefined && (
        <p class="error" id={errorId}>
          <span class="visually-hidden">Error: </span>
          {error}
        </p>
      )}
      {hasRoom && (
        <button
          type="button"
          id={placeId(key)}
          aria-disabled={view.busy !== 'no'}
          aria-describedby={error === undefined ? undefined : errorId}
          onClick={() => void draft.addEntry(group)}
        >
          Add {entity.label}
        </button>
      )}
    </section>
  );
}

function EntryOf({ entry, draft, view }: StepPageProps & { entry: Entry }) {
  const { record, name, fields } = entry;
  const remove = () => {
    const hasAnswers = [...view.values].some(([key, value]) => recordIdOf(key) === record.id && value !== '');
    if (!hasAnswers || confirm(`Remove ${name} with the answers in it?`)) void draft.removeEntry(entry);
  };
  return (
    <fieldset class="entry" id={entryId(record.id)} tabIndex={-1}>
      <legend>{name}</legend>
      {fields.map((shown) => (
        <FieldOf key={shown.key} {...{ shown, draft, view }} />
      ))}
      <button type="button" class="quiet-button" aria-disabled={view.busy !== 'no'} onClick={remove}>
        Remove<span class="visually-hidden"> {name}</span>
      </button>
    </fieldset>
  );
}

/** In the order of the page. */
function problemsOf(step: Step | undefined, view: DraftView): Problem[] {
  const { problems, problemsElsewhere } = view;
  const here = (step === undefined ? [] : placesOf(step, view)).flatMap(({ key, name }) => {
    const message = problems.get(key);
    return message === undefined ? [] : [{ inputId: placeId(key), text: `${name}: ${message}` }];
  });
  return [...here, ...problemsElsewhere.map((text) => ({ inputId: undefined, text }))];
}

/** Without white space, of which the name of an entity may have some. */
function placeId(key: PlaceKey): string {
  return `place-${encodeURIComponent(key)}`;
}

function entryId(recordId: number): string {
  return `entry-${recordId}`;
}
