import type { ResumeCode } from 'formtrail-client';
import type { Draft, ShownDraft } from 'formtrail-session';
import { useState } from 'preact/hooks';
import { useFocus } from '../focus';
import { resumeLink } from '../visitor';
import { EndButton } from './end-button';

const CODE = 'another-device';
const HEADING = 'another-device-heading';
const EXPIRES = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

/** For respondents only: other users sign in on the other device. */
export function AnotherDevice({ draft, shown }: { draft: Draft; shown: ShownDraft }) {
  const [resume, setResume] = useState<ResumeCode>();
  const focusOn = useFocus();
  const { form, busy, respondent } = shown;
  if (respondent === undefined) return null;
  const makeCode = async () => {
    const made = await draft.resumeCode();
    if (made === undefined) return;
    setResume(made);
    focusOn(CODE);
  };
  return (
    <>
      <div class="buttons">
        <button type="button" class="link" aria-disabled={busy !== undefined} onClick={() => void makeCode()}>
          Continue on another device
        </button>
        <EndButton {...{ draft, form }} />
      </div>
      {resume && (
        // The focus scrolls the whole section into view, and not only its heading.
        <section id={CODE} tabIndex={-1} aria-labelledby={HEADING}>
          <h2 id={HEADING}>Continue on another device</h2>
          <p>
            On the other device, open this form and enter the code. It works once, until{' '}
            {EXPIRES.format(new Date(resume.expires_at))}. Keep it secret: it opens your answers.
          </p>
          <p class="reference">
            Your code <strong>{resume.code}</strong>
          </p>
          <p class="resume-link">
            Or open this link there:{' '}
            <a href={resumeLink(form.uuid, resume.code)}>{resumeLink(form.uuid, resume.code)}</a>
          </p>
        </section>
      )}
    </>
  );
}
