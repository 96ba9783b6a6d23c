import type { Field } from 'formtrail-client';
import { useEffect } from 'preact/hooks';
import { type AnswerKey, answerKey } from '../draft/answer-key';
import type { Draft } from '../draft/draft';
import type { DraftView } from '../draft/draft-view';
import { answerKeys, blocksOf, isQuestion, visibleFields, walkedSteps } from '../draft/questions';
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
  const { form, steps, states, position, progress, saving, busy, notice, announcement, focus } = view;
  const walked = walkedSteps(steps, states);
  const step = steps[position - 1]?.step;
  const fields = step ? visibleFields(step, states) : [];
  const title = step?.title ?? form.name;
  const isFirst = !walked.some((other) => other.position < position);
  const isLast = !walked.some((other) => other.position > position);
  const problems = problemsOf(fields, view);

  useEffect(() => {
    if (focus.on === 'answer') document.getElementById(inputId(focus.key))?.focus();
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
          {blocksOf(fields).map((block) =>
            block.kind === 'field' ? (
              <FieldOf key={block.field.id} field={block.field} recordId={null} {...{ draft, view }} />
            ) : (
              <Entries key={block.fields[0]?.id} fields={block.fields} {...{ draft, view }} />
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

/** Repeatable fields, once for each entity record and once without. */
function Entries({ fields, draft, view }: StepPageProps & { fields: readonly Field[] }) {
  const { records } = view;
  return records.map((recordId, index) => {
    const questions = fields.map((field) => <FieldOf key={field.id} {...{ field, recordId, draft, view }} />);
    return records.length === 1 ? (
      questions
    ) : (
      <fieldset class="entry" key={recordId}>
        <legend>
          Entry {index + 1} of {records.length}
        </legend>
        {questions}
      </fieldset>
    );
  });
}

function FieldOf({
  field,
  recordId,
  draft,
  view,
}: StepPageProps & { field: Field; recordId: number | null }) {
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
  const key = answerKey(field.id, recordId);
  return (
    <Question
      field={field}
      id={inputId(key)}
      value={view.values.get(key) ?? ''}
      isRequired={view.states[field.id]?.required ?? false}
      error={view.problems.get(key) ?? view.refusals.get(key)}
      onChange={(value, by) => draft.change(key, value, by)}
    />
  );
}

/** In the order of the page. */
function problemsOf(
  fields: readonly Field[],
  { problems, problemsElsewhere, records }: DraftView,
): Problem[] {
  const here = fields.filter(isQuestion).flatMap((field) =>
    answerKeys(field, records).flatMap((key) => {
      const message = problems.get(key);
      return message === undefined ? [] : [{ inputId: inputId(key), text: `${field.label}: ${message}` }];
    }),
  );
  return [...here, ...problemsElsewhere.map((text) => ({ inputId: undefined, text }))];
}

function inputId(key: AnswerKey): string {
  return `answer-${key.replace(':', '-')}`;
}
