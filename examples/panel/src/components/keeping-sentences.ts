import type { KeepingJson } from './outline/form-outline-json.ts';

/** For how long submissions and their personal answers are kept, as sentences. Those that are kept for ever have none. */
export function keepingSentences({
  keepCompletedDays,
  keepDraftsDays,
  keepPersonalDays,
}: KeepingJson): string[] {
  const kept = { 'Completed submissions': keepCompletedDays, Drafts: keepDraftsDays };
  const all = { ...kept, 'Personal answers': keepPersonalDays };
  return Object.entries(all).flatMap(([what, days]) =>
    days === null ? [] : [`${what} are kept for ${days} day${days === 1 ? '' : 's'}`],
  );
}
