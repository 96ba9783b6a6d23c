// A chunk of its own, loaded only for forms with opening times, limits or places. It uses the private members of the draft.
import { type Availability, type Field, InvalidError, type Mistake } from 'formtrail-client';
import type { Draft } from './draft.js';
import { tokenOf } from './opening.js';
import type { StoredSubmission } from './stored-submission.js';

/** Milliseconds between two reads. */
const PAUSE = 60_000;
/** Maximum number of submissions in one list. */
const MAX_LISTED = 100;

const { document }: Partial<Pick<typeof globalThis, 'document'>> = globalThis;

/** Reads the limits of a submission that is being opened, or whose form has got limits. */
export async function openLimits(draft: Draft, submission: StoredSubmission): Promise<void> {
  const limits = new Limits(submission, () => {
    if (draft['openAnswers'](true)?.submission !== submission) return;
    const wasReadOnly = draft['openAnswers']() === undefined;
    draft['update']();
    if (wasReadOnly && draft['openAnswers']()?.sendable.length) draft['autosave'].now();
  });
  submission.limits = limits;
  await limits.open();
  if (!limits.unavailable || submission.uuid || draft['respondent']) return;
  try {
    // Only the service knows who may begin a test, which has no limits (P10). It rejects everybody else.
    await draft['beginOn'](submission);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
  }
}

/**
 * Says whether the form of a submission takes answers, and which options have places left. If the service cannot be reached, the limits
 * say nothing: the service decides when something is written.
 */
export class Limits {
  private availability: Availability | undefined;
  /** The user has completed as many submissions as the form allows (D5). */
  private isAnswered = false;
  /** Code of the last rejection. The clock of this device may be wrong, but that of the service decides. */
  private said: string | undefined;
  private readAt = 0;
  private isWatching = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly submission: StoredSubmission,
    private readonly changed: () => void,
  ) {}

  /** Why the form takes no answers; see the snapshot. */
  get unavailable(): Mistake | undefined {
    const { uuid, form, isTest } = this.submission;
    // No limit is for tests (P10).
    if (this.availability === undefined || isTest) return undefined;
    const { is_open, opens_at, closes_at, places_left } = this.availability;
    const isPast = (time: string) => Date.now() >= Date.parse(time);
    if (!is_open) {
      if (closes_at !== null && (/closed$/.test(this.said ?? '') || isPast(closes_at))) {
        if (!uuid || form.closes_drafts) return reason('closed', 'The form is closed.', { closes_at });
      } else if (!uuid) {
        if (opens_at !== null && (this.said === 'not_open_yet' || !isPast(opens_at)))
          return reason('not_open_yet', 'The form is not open yet.', { opens_at });
        return reason('inactive_form', 'The form is inactive.');
      }
    }
    if (this.isAnswered) return reason('already_answered', 'You have answered this form already.');
    return places_left === 0 ? reason('quota_reached', 'The form is full.') : undefined;
  }

  /** Places by the value of the option, for the options that have a limit. */
  placesLeft({ id }: Field): Readonly<Record<string, number>> {
    const options = this.submission.isTest ? [] : (this.availability?.options ?? []);
    const own = options.filter(({ field_id }) => field_id === id);
    return Object.fromEntries(own.map(({ value, places_left }) => [value, places_left]));
  }

  /** Reads what is known before the first answer. */
  async open(): Promise<void> {
    await Promise.all([this.read(), this.countOwn().catch(() => undefined)]);
  }

  async read(): Promise<void> {
    this.readAt = performance.now();
    const { client, form } = this.submission;
    const read = await client.getAvailability(form.uuid).catch(() => undefined);
    if (read) this.availability = read.data;
    if (read?.data.is_open) this.said = undefined;
    this.changed();
    this.schedule();
  }

  /** Call it when a write has failed. */
  async rejected(error: unknown): Promise<void> {
    if (!(error instanceof InvalidError)) return;
    this.said = error.errors[0]?.code ?? error.code;
    this.isAnswered ||= this.said === 'already_answered';
    await this.read();
  }

  /** From now on, reads every minute while the page is visible. */
  watch(): void {
    this.unwatch();
    this.isWatching = true;
    document?.addEventListener('visibilitychange', this.schedule);
    this.schedule();
  }

  unwatch(): void {
    this.isWatching = false;
    clearTimeout(this.timer);
    document?.removeEventListener('visibilitychange', this.schedule);
  }

  private readonly schedule = (): void => {
    clearTimeout(this.timer);
    if (!this.isWatching || document?.visibilityState === 'hidden') return;
    const elapsed = performance.now() - this.readAt;
    this.timer = setTimeout(() => void this.read(), Math.max(PAUSE - elapsed, 0));
  };

  /** A visitor without a token has completed nothing. Above the length of a list, the service decides. */
  private async countOwn(): Promise<void> {
    const { client, form } = this.submission;
    const { uuid: form_uuid, max_per_user: most } = form;
    if (most === null || most > MAX_LISTED || (await tokenOf(client)) === undefined) return;
    const { data } = await client.listSubmissions({ form_uuid, status: 'completed', per_page: most });
    this.isAnswered = data.filter(({ is_test }) => !is_test).length >= most;
  }
}

function reason(code: Mistake['code'], detail: string, params: Mistake['params'] = {}): Mistake {
  return { field: 'form_uuid', code, params, detail };
}
