import { OTHER_DEVICE } from '../ids.js';
import type { PageProps } from '../view/props.js';
import { CodeForm } from './code-form.js';
import { textOf } from './device-english.js';

export { CodePage } from './code-page.js';

/** For respondents only: other users sign in on the other device. */
export function OtherDevice({ visit, shown, words }: PageProps) {
  const { busy, failure, isReadOnly } = shown;
  const { dayText } = words;
  const text = textOf(words);
  const { resumeCode, asksForCode } = visit;
  const link = `${location.origin}${location.pathname}${location.search}#resume=${resumeCode?.code}${visit.page.place()}`;
  return (
    <div part="other-device">
      {!isReadOnly && (
        <button
          type="button"
          part="button link"
          aria-disabled={busy !== undefined}
          onClick={() => void visit.makeCode()}
        >
          {text.otherDevice}
        </button>
      )}
      {!asksForCode && (
        <button type="button" part="button link" onClick={() => visit.askForCode()}>
          {text.haveCode}
        </button>
      )}
      {resumeCode && (
        <section id={OTHER_DEVICE} part="notice" tabIndex={-1} aria-label={text.otherDevice}>
          <p>{text.otherDeviceText(dayText(resumeCode.expires_at))}</p>
          <p part="code">
            <bdi>{resumeCode.code}</bdi>
          </p>
          <p>
            {text.orLink}{' '}
            <a href={link} dir="ltr">
              {link}
            </a>
          </p>
        </section>
      )}
      {asksForCode && <CodeForm {...{ visit, words }} error={failure} />}
    </div>
  );
}
