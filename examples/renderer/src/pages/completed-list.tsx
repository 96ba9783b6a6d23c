import { Moment } from '../page/time';
import { draftAddress, submittedAddress } from '../route';
import { referenceOf } from './completed-page';
import { SubmissionList, type SubmissionPage } from './submission-list';

/** Completed submissions. The links open them for reading. */
export function CompletedList({ first }: { first: SubmissionPage }) {
  return (
    <SubmissionList status="completed" heading="Submitted" {...{ first }}>
      {({ uuid, form, updated_at }) => (
        <>
          <h3>
            <a href={submittedAddress(draftAddress(form.uuid, uuid))} aria-describedby={`completed-${uuid}`}>
              {form.name}
            </a>
          </h3>
          <p class="quiet" id={`completed-${uuid}`}>
            {/* The time of the completion, unless a program has stored other `meta` since. */}
            <Moment at={updated_at} /> <span>Reference {referenceOf(uuid)}</span>
          </p>
        </>
      )}
    </SubmissionList>
  );
}
