import type { LimitsJson } from './outline/form-outline-json.ts';
import { timeIn, timeOf } from './times.ts';

/** When a form is open, and how many submissions it takes, as sentences. */
export function limitSentences(limits: LimitsJson): string[] {
  const { opensAt, closesAt, hasOpened, hasClosed, closesDrafts, timeZone, maxSubmissions, maxPerUser } =
    limits;
  const shown = (iso: string) => timeIn(timeZone ?? '', iso) ?? timeOf(iso);
  return [
    ...(opensAt === null ? [] : [`${hasOpened ? 'Opened' : 'Opens'} ${shown(opensAt)}`]),
    ...(closesAt === null
      ? []
      : [`${hasClosed ? 'Closed' : 'Closes'} ${shown(closesAt)}${closesDrafts ? ', for drafts too' : ''}`]),
    ...(maxSubmissions === null
      ? []
      : [`${limits.completed ?? 0} of ${maxSubmissions} submissions completed`]),
    ...(maxPerUser === null ? [] : [`At most ${maxPerUser} a person`]),
  ];
}

export const isFull = ({ maxSubmissions, completed }: LimitsJson) =>
  maxSubmissions !== null && (completed ?? 0) >= maxSubmissions;
