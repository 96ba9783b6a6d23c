import type { Block } from 'formtrail-session';
import { HEADING, placeId, PROBLEMS } from '../ids.js';
import { problemsOn, type Problem } from '../questions.js';
import type { Visit } from '../visit.js';
import { Buttons } from './buttons.js';
import { viewOf } from './components.js';
import { GroupSection } from './group.js';
import { Markup } from './markup.js';
import { Notices } from './notices.js';
import type { PageProps } from './props.js';
import { QuestionField } from './question.js';

/** The current step of the form. */
export function Step({ visit, shown, words }: PageProps) {
  const { form, step, steps, progress, isLastStep } = shown;
  const { text } = words;
  const problems = problemsOn(shown, words).filter(({ key = '' }) => !visit.checked.has(key));
  const goOn = (event: Event) => {
    event.preventDefault();
    void visit.goOn();
  };
  return (
    <>
      {problems.length > 0 && <ErrorSummary title={text.problems} {...{ problems, visit }} />}
      <p part="form-name">{form.name}</p>
      {step && steps.length > 1 && !visit.page.outline() && (
        <div part="progress">
          <p>{text.stepOf(step.number, steps.length)}</p>
          <progress part="bar" max={100} value={progress} aria-label={text.progress} />
        </div>
      )}
      <h2 id={HEADING} part="title" tabIndex={-1}>
        {step?.title ?? form.name}
      </h2>
      {step && step.description !== '' && (
        <div part="description">
          <Markup text={step.description} isBlock {...{ words }} />
        </div>
      )}
      <Notices {...{ visit, shown, words }} />
      <form part="form" noValidate key={step?.id} onSubmit={goOn}>
        {step?.blocks.map((block) =>
          block.kind === 'group' ? (
            <GroupSection key={block.key} group={block} {...{ visit, shown, words }} />
          ) : (
            <BlockView key={block.key} block={block} {...{ visit, shown, words }} />
          ),
        )}
        <Buttons {...{ visit, shown, words }}>
          {!isLastStep ? text.next : steps.length === 1 ? text.submit : text.review}
        </Buttons>
      </form>
    </>
  );
}

/** A question, or a heading or paragraph of the form. */
export function BlockView({ block, ...props }: PageProps & { block: Exclude<Block, { kind: 'group' }> }) {
  if (block.kind === 'question') {
    const isRetyped = props.shown.formChanged?.retyped.includes(block.key) === true;
    return <QuestionField question={block} {...{ isRetyped }} {...props} />;
  }
  const { label, description } = block.field;
  const { words } = props;
  const isHeading = viewOf(block.field).kind === 'heading';
  const title = <Markup text={label} isBlock={!isHeading} {...{ words }} />;
  return (
    <div part={isHeading ? 'text heading' : 'text'}>
      {isHeading ? <h3>{title}</h3> : title}
      {description && (
        <div class="quiet">
          <Markup text={description} isBlock {...{ words }} />
        </div>
      )}
    </div>
  );
}

interface ErrorSummaryProps {
  readonly title: string;
  readonly problems: readonly Problem[];
  readonly visit: Visit;
}

function ErrorSummary({ title, problems, visit }: ErrorSummaryProps) {
  const lead = (event: Event, key: string) => {
    // A fragment cannot lead into a shadow root.
    event.preventDefault();
    visit.focusOn(placeId(key));
  };
  return (
    <div id={PROBLEMS} part="summary" role="alert" tabIndex={-1}>
      <h2>{title}</h2>
      <ul>
        {problems.map(({ key, text }) => (
          <li key={`${key} ${text}`}>
            {key === undefined ? (
              text
            ) : (
              <a href={`#${placeId(key)}`} onClick={(event) => lead(event, key)}>
                {text}
              </a>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
