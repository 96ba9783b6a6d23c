import {
  Draft,
  type DraftOptions,
  type DraftSnapshot,
  type NamedFile,
  type Question,
  type Upload,
} from 'formtrail-session';
import { takeResumeCode } from 'formtrail-session/resume-link';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';

export * from 'formtrail-session';
export {
  answerText,
  type AnswerWords,
  chosenIn,
  DATE_RANGE,
  dateIn,
  isChecked,
  isDate,
  isShownAsDate,
  joinChosen,
  numberIn,
  numberText,
  readNumber,
  takeDate,
  toggleChosen,
  unreadableDates,
  unreadableNumbers,
  withUnreadable,
} from 'formtrail-session/inputs';
export { loadLanguage } from 'formtrail-session/languages';
export { parseInline, parseMarkup, type Piece, plainText } from 'formtrail-session/markup';
export { English, sentences } from 'formtrail-session/sentences';
export type { Language } from 'formtrail-session/sentences';

/** The snapshot of a draft, and the `draft` itself, which has the actions. */
export type Formtrail = DraftSnapshot & { readonly draft: Draft };

/** Snapshot for server rendering, which opens no draft, and for the first render in the browser. */
const LOADING: DraftSnapshot = { status: 'loading' };

/**
 * Opens a form to fill in. `form` is its slug or UUID. The draft is the given `submission`, or else the user's newest draft of the
 * form, or a new one. Changing `form` or `submission` opens another draft, and changing `locale` changes the language of this one. Changes
 * to the other options have no effect.
 */
export function useFormtrail(form: string, options: Omit<DraftOptions, 'form'>): Formtrail {
  const [draft, setDraft] = useState(() => new Draft({ ...options, form }));
  if (draft.options.form !== form || draft.options.submission !== options.submission) {
    setDraft(new Draft({ ...options, form }));
  }
  const { locale } = options;
  const shown = useRef(locale);
  useEffect(() => {
    // A draft opens in the language that it has got.
    if (shown.current === locale) return;
    shown.current = locale;
    void draft.setLocale(locale);
  }, [draft, locale]);
  return { ...useDraft(draft), draft };
}

/** Returns the snapshot of a draft that you made, and renders the component again after each change. */
export function useDraft(draft: Draft): DraftSnapshot {
  return useDraftPart(draft, whole);
}

/**
 * Returns the resume code of the page's address, and removes it from there; undefined if there was none, and in the first render. Ask
 * the user before you pass it to `draft.resume`; see `takeResumeCode`.
 */
export function useResumeCode(): string | undefined {
  const [code, setCode] = useState<string>();
  useEffect(() => {
    const take = () => {
      const taken = takeResumeCode();
      // StrictMode runs the effect twice, and the second run finds no code.
      if (taken !== undefined) setCode(taken);
    };
    take();
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return code;
}

/** Returns one question, or undefined while it is hidden. The component renders again only if that question changes. */
export function useQuestion(draft: Draft, key: string): Question | undefined {
  const select = useCallback((snapshot: DraftSnapshot) => questionIn(snapshot, key), [key]);
  return useDraftPart(draft, select);
}

/** The file of a question, stored or being uploaded, and its actions. */
export interface FileAnswer {
  /** Name of the file; `""` if there is none. */
  readonly name: string;
  /** The file that is being uploaded or was rejected; see its `state`. Undefined if there is no such file. */
  readonly upload: Upload | undefined;
  /** Progress of the upload, from 0 to 1. Undefined if nothing is being uploaded. */
  readonly progress: number | undefined;
  /** Uploads a file in place of the current one. Does nothing for undefined, so that you can pass `input.files?.[0]`. */
  readonly choose: (file: NamedFile | undefined) => void;
  /** Cancels the upload or dismisses the rejected file. Without either, removes the answer. */
  readonly remove: () => void;
}

/** Returns the file of one question. The component renders again only if that question changes. */
export function useFile(draft: Draft, key: string): FileAnswer {
  const { value = '', file, upload } = useQuestion(draft, key) ?? {};
  const isOnItsWay = upload !== undefined && upload.state !== 'refused';
  const isUploaded = upload === undefined;
  const actions = useMemo(
    () => ({
      choose: (chosen: NamedFile | undefined) => chosen && draft.upload(key, chosen),
      remove: () => (isUploaded ? draft.change(key, '') : draft.cancelUpload(key)),
    }),
    [draft, key, isUploaded],
  );
  // Avoid a division by zero for an empty file.
  const progress = isOnItsWay ? upload.sent / Math.max(upload.size, 1) : undefined;
  return { name: upload?.name ?? file?.name ?? value, upload, progress, ...actions };
}

/**
 * Returns a part of the snapshot. `select` has to return an object of the snapshot itself, not a new one: a new object on each call
 * renders in an endless loop.
 */
export function useDraftPart<Part>(draft: Draft, select: (snapshot: DraftSnapshot) => Part): Part {
  return useSyncExternalStore(
    draft.subscribe,
    () => select(draft.getSnapshot()),
    () => select(LOADING),
  );
}

const whole = (snapshot: DraftSnapshot) => snapshot;

function questionIn(snapshot: DraftSnapshot, key: string): Question | undefined {
  if (!('steps' in snapshot)) return undefined;
  const blocks = snapshot.steps.flatMap((step) => step.blocks);
  return blocks
    .flatMap((block) => (block.kind === 'group' ? block.entries.flatMap((entry) => entry.blocks) : [block]))
    .find((block): block is Question => block.kind === 'question' && block.key === key);
}
