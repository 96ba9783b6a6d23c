// A chunk of its own, loaded for forms in several languages, and when the page changes the language. It uses the private members of the
// draft.
import { type FormSchema, FormtrailError, InvalidError, type Mistake, NetworkError } from 'formtrail-client';
import { Places } from './answer-key.js';
import type { Answers } from './answers.js';
import type { Draft, Outcome } from './draft.js';
import { canonicalTag, isMultilingual } from './opening.js';
import type { StoredSubmission } from './stored-submission.js';

/** Chooses the language of a submission that is being opened. */
export async function openLanguage(draft: Draft, submission: StoredSubmission): Promise<void> {
  const { form, locale } = submission;
  choose(draft, submission);
  const isOther = submission.locale !== locale && submission.locale !== form.locale;
  if (isOther && offers(form, submission.locale)) await readForm(submission);
  // Opening does not wait, and succeeds if the language cannot be stored.
  if (isToStore(draft, submission)) schedule(draft, submission);
}

/** Shows a submission in the language that the draft has now, and stores it. */
export async function setLanguage(draft: Draft, tag: string | undefined): Promise<Outcome> {
  const before = draft['locale'];
  const locale = canonicalTag(tag);
  // An earlier call may have failed.
  if (locale === before) return draft.save();
  draft['locale'] = locale;
  await draft['opening'];
  const { submission } = draft['answers'] ?? {};
  // It is the language in which the draft will be opened.
  if (submission === undefined) return 'done';
  choose(draft, submission);
  if (!isMultilingual(submission.form)) return 'done';
  let isShown = false;
  const show = async () => {
    if (isShown) return;
    choose(draft, submission);
    await readForm(submission);
    isShown = true;
    dropAuthored(draft);
  };
  schedule(draft, submission, show);
  const { status } = draft.getSnapshot();
  if (status === 'discarded') return 'ended';
  // The language changes when the draft is open.
  if (status === 'loading' || status === 'failed') return 'done';
  if (draft['openAnswers']()) {
    const outcome = await draft.save();
    // Answers that were rejected before do not matter here.
    return outcome === 'failed' || outcome === 'ended' ? outcome : 'done';
  }
  try {
    await draft['serialQueue'].run(async () => {
      await show();
      if (!submission.isOutdated) return;
      await submission.refresh();
      submission.explain = undefined;
    });
  } catch (error) {
    if (!(error instanceof FormtrailError || error instanceof NetworkError)) throw error;
    // The user can repeat it.
    draft['locale'] = before;
    draft['update']({ failure: error });
    return 'failed';
  }
  draft['update']();
  return 'done';
}

/** Sets what the next save does first. It is repeated until it succeeds. */
function schedule(draft: Draft, submission: StoredSubmission, show = () => Promise.resolve()): void {
  const setLocale = () =>
    draft['write'](draft['answers'] as Answers, async () => {
      await show();
      await store(draft, submission);
      // The page may have set another language meanwhile.
      if (submission.setLocale === setLocale) submission.setLocale = undefined;
    });
  submission.setLocale = setLocale;
}

/** The language that the page asks for, if the form has it, or else that of the submission. */
function choose(draft: Draft, submission: StoredSubmission): void {
  const { form, storedLocale } = submission;
  const wanted = draft['locale'];
  submission.locale = offers(form, wanted) ? wanted : (storedLocale ?? wanted);
}

/** Whether the form has texts in this language, such as `de` for `de-AT` (RFC 4647, "lookup"). */
function offers({ locales = [] }: Partial<FormSchema>, tag: string | undefined): boolean {
  return tag !== undefined && locales.some((locale) => `${tag}-`.startsWith(`${locale}-`));
}

async function readForm(submission: StoredSubmission): Promise<void> {
  const { client, form, locale } = submission;
  const { data } = await client.getFormSchema(form.uuid, { locale });
  if (data.version === form.version) Object.assign(submission, { form: data, places: new Places(data) });
  // The user has to see the change.
  else submission.isOutdated = true;
}

/** A completed submission keeps the language in which it was filled in. */
function isToStore(draft: Draft, { form, locale, storedLocale, status, uuid }: StoredSubmission): boolean {
  const isWanted = locale === draft['locale'] && offers(form, locale);
  return isWanted && locale !== storedLocale && status === 'draft' && uuid !== '';
}

async function store(draft: Draft, submission: StoredSubmission): Promise<void> {
  if (!isToStore(draft, submission)) return;
  const { client, uuid, locale = null, isOutdated } = submission;
  try {
    submission['adopt'](await client.patchSubmission(uuid, { locale }, { ifMatch: submission['etag'] }));
    submission.storedLocale = locale;
  } catch (error) {
    // The form may be closed. It is shown in the language all the same.
    if (!(error instanceof InvalidError)) throw error;
  }
  submission.isOutdated ||= isOutdated;
}

/** Drops the field errors that the author of the form has worded in the language before. */
function dropAuthored(draft: Draft): void {
  const isOurs = ({ params }: Mistake) => params['authored'] !== true;
  const { invalid, unplaced } = draft['shownSituation'];
  draft['update']({
    invalid: new Map([...invalid].filter(([, mistake]) => isOurs(mistake))),
    unplaced: unplaced.filter(isOurs),
  });
}
