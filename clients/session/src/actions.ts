// A chunk of its own, loaded when the user moves, adds an entry or completes for the first time. It uses the private members of the draft.
import { ChangedError, type FormtrailError, InvalidError, type Mistake } from 'formtrail-client';
import { groupKey } from './answer-key.js';
import type { Answers } from './answers.js';
import { mayPass } from './autosave.js';
import type { Draft, Outcome } from './draft.js';
import { mistakesOf } from './mistakes.js';
import { randomKey } from './random-key.js';
import { type Obstacle, obstacleOn, shownDraft } from './situation.js';
import type { DraftStep, ShownDraft } from './snapshot.js';
import { placesOf, positionOf } from './view.js';

/** Maximum number of attempts to complete, if another write comes first each time. */
const MAX_ATTEMPTS = 10;

/** Idempotency keys of each draft by entity, kept until the entry is added, so that a repeated request does not add a second one. */
const entryKeys = new WeakMap<Draft, Map<string, string>>();

export async function next(draft: Draft, answers: Answers): Promise<Outcome> {
  const { steps, step } = await leave(draft, answers);
  const target = steps.find(({ position }) => position > draft['position'](answers));
  const obstacle = await obstacleHere(draft, answers, step, target?.position);
  return obstacle ?? (target ? walkTo(draft, answers, target.id) : 'last');
}

export async function back(draft: Draft, answers: Answers): Promise<Outcome> {
  const { steps } = await draft['flush'](answers);
  const before = steps.filter(({ position }) => position < draft['position'](answers)).at(-1);
  return before === undefined ? 'done' : walkTo(draft, answers, before.id);
}

/** Moves to the step with the id `target`. `isForward`: it is behind the shown one. */
export async function goTo(
  draft: Draft,
  answers: Answers,
  target: number | undefined,
  isForward: boolean,
): Promise<Outcome> {
  if (!isForward) await draft['flush'](answers);
  else {
    const { step, form } = await leave(draft, answers);
    const obstacle = await obstacleHere(draft, answers, step, positionOf(target, form));
    if (obstacle !== undefined) return obstacle;
  }
  return walkTo(draft, answers, target);
}

/** Resolves to the id of the entry, or to undefined if the service rejects it. */
export async function addEntry(draft: Draft, answers: Answers, entity: string): Promise<number | undefined> {
  await draft['begin'](answers);
  const keys = entryKeys.get(draft) ?? new Map<string, string>();
  entryKeys.set(draft, keys);
  const key = keys.get(entity) ?? randomKey();
  keys.set(entity, key);
  try {
    const added = await draft['write'](answers, () => answers.submission.addRecord(entity, key));
    await draft['serialQueue'].run(() => draft['reread'](answers));
    keys.delete(entity);
    draft['forget']([groupKey(entity)]);
    return added;
  } catch (error) {
    const [mistake] = mistakesOf(error);
    if (mistake === undefined) throw error;
    keys.delete(entity);
    draft['update']({ invalid: new Map(draft['shownSituation'].invalid).set(groupKey(entity), mistake) });
    return undefined;
  }
}

export async function removeEntry(draft: Draft, answers: Answers, id: number): Promise<Outcome> {
  const entity = answers.submission.records.find((record) => record.id === id)?.entity ?? '';
  try {
    await draft['write'](answers, () => answers.submission.removeRecord(id));
  } catch (error) {
    // Another window, or an earlier attempt whose response was lost, has removed it already.
    if ((error as Partial<FormtrailError>).code !== 'record_not_found') throw error;
  }
  await draft['serialQueue'].run(() => draft['reread'](answers));
  draft['forget']([groupKey(entity)]);
  return 'done';
}

export async function complete(draft: Draft, answers: Answers): Promise<Outcome> {
  const leadTo = async ({ outcome, id }: Obstacle) => {
    await walkTo(draft, answers, id);
    return outcome;
  };
  await draft['begin'](answers);
  draft['update']({ invalid: new Map() });
  await draft['uploads']?.settle();
  const { steps, form, changedElsewhere, formChanged } = await draft['flush'](answers);
  const obstacle = obstacleOn(...steps);
  if (obstacle !== undefined) return leadTo(obstacle);
  if (changedElsewhere || formChanged) return 'changed';
  const [mistakes] = await Promise.all([
    // Strict completion validates the answers itself.
    form.completion === 'strict' ? [] : answers.submission.validate(),
    answers.submission.limits?.read(),
  ]);
  if (await draft['serialQueue'].run(() => hasChanged(draft, answers))) return 'changed';
  const found = obstacleOn(...draft['showMistakes'](mistakes, answers).steps);
  if (found !== undefined) return leadTo(found);
  // Field errors that no step shows do not stop a lenient completion: let the service decide.
  draft['update']({ unplaced: [] });
  const outcome = await draft['serialQueue'].run(() => completeSeen(draft, answers));
  const refused =
    outcome === 'mistakes' ? obstacleOn(...shownDraft(answers, draft['shownSituation']).steps) : undefined;
  return refused ? leadTo(refused) : outcome;
}

/** Completes only the state that the user has seen. If another write changed it visibly, resolves to `changed` instead. */
async function completeSeen(draft: Draft, answers: Answers, attempt = 1): Promise<Outcome> {
  draft['mayBeCompleted'] = true;
  try {
    await answers.submission.complete();
  } catch (error) {
    if (error instanceof ChangedError && attempt < MAX_ATTEMPTS) {
      await draft['refreshShown'](answers);
      draft['mayBeCompleted'] = false;
      const { changedElsewhere, formChanged } = draft['shownSituation'];
      return changedElsewhere || formChanged ? 'changed' : completeSeen(draft, answers, attempt + 1);
    }
    draft['mayBeCompleted'] = mayPass(error);
    const mistakes = mistakesOf(error);
    if (mistakes.length === 0) throw error;
    // An option may have lost its last place.
    await answers.submission.limits?.rejected(error);
    if (draft['showMistakes'](mistakes, answers).mistakes.every(({ key }) => key !== undefined))
      return 'mistakes';
    // The form may have got a question since it was read.
    answers.submission.isOutdated = true;
    const isChanged = await hasChanged(draft, answers);
    draft['showMistakes'](mistakes, answers);
    return isChanged ? 'changed' : 'mistakes';
  }
  draft['end']('completed', false);
  return 'done';
}

/** Reads the new state if the form has another version. Returns true if the user has to see a change first. */
async function hasChanged(draft: Draft, answers: Answers): Promise<boolean> {
  if (answers.submission.isOutdated) await draft['refreshShown'](answers);
  const { changedElsewhere, formChanged } = draft['shownSituation'];
  return changedElsewhere || formChanged !== undefined;
}

/** Before the step is left forward: sends the answers, and drops the step's field errors, which may be outdated. */
async function leave(draft: Draft, answers: Answers): Promise<ShownDraft> {
  const keysHere = () => {
    const { step } = shownDraft(answers, draft['shownSituation']);
    return step === undefined ? [] : placesOf(step).map(({ key }) => key);
  };
  await draft['begin'](answers);
  await draft['uploads']?.settle(keysHere());
  await draft['flush'](answers);
  return draft['forget'](keysHere());
}

/**
 * Validates the step that the user leaves, unless moving to the step at `target` validates it: there is no next step, or another window
 * has moved on already. Returns undefined if nothing stops the user.
 */
async function obstacleHere(
  draft: Draft,
  answers: Answers,
  step: DraftStep | undefined,
  target: number | undefined,
): Promise<Outcome | undefined> {
  const { submission } = answers;
  const known = obstacleOn(step);
  const isValidated = target !== undefined && positionOf(submission.stepId, submission.form) < target;
  if (known || step === undefined || isValidated) return known?.outcome;
  let mistakes: readonly Mistake[] = [];
  try {
    mistakes = await submission.validate(submission.form.steps[step.position - 1]?.step_number);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    // The form no longer has a step of this number.
    submission.isOutdated = true;
  }
  if (submission.isOutdated) {
    await draft['serialQueue'].run(() => draft['refreshShown'](answers));
    return 'changed';
  }
  return obstacleOn(draft['showMistakes'](mistakes, answers).step)?.outcome;
}

/**
 * Moves from one shown step to the next, as the service does. Validates the shown steps on the way forward. If another window has
 * hidden the target, moves to the next shown step behind it, or stops if there is none. Stops after a change of the form too: the user
 * goes on from the step that the submission has reached.
 */
async function walkTo(draft: Draft, answers: Answers, target: number | undefined): Promise<Outcome> {
  const { submission } = answers;
  const { form } = submission;
  const end = positionOf(target, form);
  const isForward = positionOf(submission.stepId, form) < end;
  let mistakes: readonly Mistake[] = [];
  // In another language, it is the same form.
  while (submission.form.version === form.version && mistakes.length === 0) {
    const from = submission.stepId;
    const position = positionOf(from, form);
    if (isForward ? position >= end : position <= end) break;
    try {
      await draft['write'](answers, async () => {
        // Another window, or an earlier request whose response was lost, may have moved the submission.
        if (submission.stepId !== from) return;
        const { steps } = shownDraft(answers, draft['shownSituation']);
        if (isForward) await submission.advance(steps.some(({ id }) => id === from));
        else await submission.retreat();
      });
    } catch (error) {
      mistakes = mistakesOf(error);
      if (isAtEnd(error)) break;
      if (mistakes.length === 0) throw error;
    }
  }
  draft['update']({ stepId: submission.stepId });
  if (mistakes.length === 0) return 'done';
  draft['showMistakes'](mistakes, answers);
  return 'mistakes';
}

/** No step is shown in this direction (S7). */
function isAtEnd(error: unknown): boolean {
  return error instanceof InvalidError && /^already_on/.test(error.code ?? '');
}
