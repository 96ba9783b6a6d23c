// The build adds this module to the chunk of the session that loads before a form with limits is shown.
import { HEADING } from '../ids.js';
import { LATER } from '../view/later.js';
import { Notices } from '../view/notices.js';
import type { PageProps } from '../view/props.js';
import { Answers } from '../view/review.js';

/** Says why the form takes no answers, instead of the questions. Lists the answers of the person. */
function Unavailable(props: PageProps) {
  const { shown, words } = props;
  const { form, steps, submission, saving } = shown;
  return (
    <>
      <h2 id={HEADING} part="title" tabIndex={-1}>
        {form.name}
      </h2>
      <Notices {...props} />
      {/* Default values are no answers yet. */}
      {(submission !== undefined || saving.kind !== 'unchanged') &&
        steps.map((step) => <Answers key={step.id} {...{ step, words }} />)}
    </>
  );
}

LATER.Unavailable = Unavailable;
