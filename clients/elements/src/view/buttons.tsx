import type { Saving } from 'formtrail-session';
import type { ComponentChildren } from 'preact';
import type { Words } from '../words.js';
import { ProofBar } from './proof-bar.js';
import type { PageProps } from './props.js';

/** The main button, "Back", the error of the last action, and whether the answers are saved. `children` is the main button's text. */
export function Buttons({ visit, shown, words, children }: PageProps & { children: ComponentChildren }) {
  const { busy, failure, saving, isFirstStep, isUploading } = shown;
  const { text, problem } = words;
  const isBusy = busy !== undefined;
  const busyText = busy === 'completing' ? text.submitting : isUploading ? text.uploading : text.checking;
  return (
    <div part="buttons">
      {/* Not disabled, because a disabled button loses the focus. */}
      <button part="button primary" aria-disabled={isBusy}>
        {isBusy && visit.isSending ? busyText : children}
      </button>
      {(!isFirstStep || visit.isReviewing) && (
        <button type="button" part="button" aria-disabled={isBusy} onClick={() => void visit.goBack()}>
          {text.back}
        </button>
      )}
      <p part="status" role="status">
        {visit.waiting !== undefined
          ? text.waiting(visit.waiting)
          : isUploading && saving.kind === 'saving'
            ? text.uploading
            : savingText(saving, words)}
      </p>
      {saving.kind === 'saving' && <ProofBar {...{ words }} progress={saving.progress} />}
      {/* Always rendered, because screen readers announce only changes in an existing element. */}
      <p part="error" role="alert">
        {failure !== undefined && visit.code === undefined && problem(failure)}
      </p>
    </div>
  );
}

function savingText(saving: Saving, { text, problem }: Words): string {
  switch (saving.kind) {
    // Nothing to report, or the element asks the user to sign in.
    case 'unchanged':
    case 'signed-out':
      return '';
    case 'saving':
      return saving.progress === undefined ? text.saving : text.preparing;
    case 'saved':
      return text.saved;
    case 'incomplete':
      return text.savedExcept;
    case 'offline':
      return text.offline;
    case 'failing':
      return `${problem(saving.error)} ${text.notSaved}`;
  }
}
