export { Draft } from './draft.js';
export type { Outcome } from './draft.js';
export { discardDraft } from './opening.js';
export type { DraftOptions } from './opening.js';
export type { AnswerKey, GroupKey } from './answer-key.js';
export type { Prefill } from './prefill.js';
export type { NamedFile } from './file-mistakes.js';
export type * from './snapshot.js';
export type { DraftStorage } from './unsaved-answers.js';
