import {
  Draft,
  type DraftOptions,
  type DraftSnapshot,
  type NamedFile,
  type Question,
  type Upload,
} from 'formtrail-session';
import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';

export * from 'formtrail-session';

/** What is seen of a draft, and the draft itself, to do something with it. */
export type Formtrail = DraftSnapshot & { readonly draft: Draft };

/** On a server nothing is opened: its pages, and the first render in the browser, have this. */
const LOADING: DraftSnapshot = { status: 'loading' };

/**
 * A form being filled in: the user's newest draft of it, the submission that is named, or a new draft. `form` is its slug or
 * UUID. Of the options, another `submission` makes another draft; the others are those of the first render.
 */
export function useFormtrail(form: string, options: Omit<DraftOptions, 'form'>): Formtrail {
  const [draft, setDraft] = useState(() => new Draft({ ...options, form }));
  if (draft.options.form !== form || draft.options.submission !== options.submission) {
    setDraft(new Draft({ ...options, form }));
  }
  return { ...useDraft(draft), draft };
}

/** A draft that was made elsewhere, followed while the component is there. */
export function useDraft(draft: Draft): DraftSnapshot {
  return useDraftPart(draft, whole);
}

/** One question, or undefined while it is not shown: the component renders again only where that question has changed. */
export function useQuestion(draft: Draft, key: string): Question | undefined {
  const select = useCallback((snapshot: DraftSnapshot) => questionIn(snapshot, key), [key]);
  return useDraftPart(draft, select);
}

/** A question that takes a file: the file that is the answer or is to be, and what can be done with it. */
export interface FileAnswer {
  /** `""`: there is none. */
  readonly name: string;
  /** What is on its way, or was refused; its `state` says which. */
  readonly upload: Upload | undefined;
  /** From 0 to 1, of what is on its way; undefined: nothing is. */
  readonly progress: number | undefined;
  /** In place of what is there; undefined, as an input of a page may give it: nothing changes. */
  readonly choose: (file: NamedFile | undefined) => void;
  /** Gives up what is on its way or was refused; where nothing is, takes back the answer. */
  readonly remove: () => void;
}

/** The file of one question; the component renders again only where that question has changed. */
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
  // A file may have no bytes.
  const progress = isOnItsWay ? upload.sent / Math.max(upload.size, 1) : undefined;
  return { name: upload?.name ?? file?.name ?? value, upload, progress, ...actions };
}

/** A part of the snapshot, as it is in there: a new object would render for ever. */
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
