import { HEADING } from '../ids.js';
import { Notices } from './notices.js';
import { OtherDevice } from './other-device.js';
import type { PageProps } from './props.js';
import { Answers } from './review.js';

/** Says why the form takes no answers, instead of the questions. Lists the answers of the person. */
export function Unavailable(props: PageProps) {
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
      <OtherDevice {...props} />
    </>
  );
}
