// A chunk of its own, loaded only for visitors of public forms.
import {
  type FormSchema,
  FormtrailClient,
  InvalidError,
  NetworkError,
  NotFoundError,
} from 'formtrail-client';
import type { Answers } from './answers.js';
import { exclusively, itemOf } from './begin.js';
import { carryOver, carryOverUnsaved } from './carry-over.js';
import { type DraftOptions, unsavedAnswers } from './opening.js';
import { type DraftStorage, tryStorage } from './unsaved-answers.js';

/** Item of the device storage, for one form of one service. */
interface Stored {
  readonly token: string;
  /** UUIDs of the submissions that were opened, the last one first. */
  readonly submissions: readonly string[];
}

/**
 * A visitor of a public form without an account: a token for one browser and one form. The service extends the token by use. An
 * expired token stays in the storage, so that a reload asks the user again, and begins no second draft on its own.
 */
export class Respondent {
  state: 'active' | 'expired' = 'active';
  /** The options of the draft, with a client that sends the respondent's token. */
  options: DraftOptions;
  private stored: Stored | undefined;
  private name = '';
  /** The next submission gets the answers of the previous one. */
  private isAnew = false;

  /** `onProgress` gets the progress of the proof of work, from 0 to 1. */
  constructor(
    private readonly given: DraftOptions,
    private readonly onProgress: (progress: number) => void,
  ) {
    const { client, remember, storage = browserStorage(remember) } = given;
    const { fetch = (request: Request) => globalThis.fetch(request) } = client.options;
    const own = new FormtrailClient({
      ...client.options,
      token: () => this.stored?.token,
      fetch: async (request) => {
        const response = await fetch(request);
        const isSent = request.headers.get('Authorization') === `Bearer ${this.stored?.token ?? ''}`;
        if (response.status === 401 && isSent) this.state = 'expired';
        return response;
      },
    });
    this.options = { ...given, client: own, storage };
  }

  /**
   * Continues with the stored token, if there is one. With a `code`, continues as its respondent; with `''`, begins as a new respondent.
   */
  async start(form: FormSchema, code: string | undefined): Promise<DraftOptions> {
    this.name = itemOf(this.given.client, form);
    this.stored ??= this.read();
    if (code) await this.resume(code);
    else if (code !== undefined) await this.beginAgain(form);
    else if (this.stored === undefined) {
      // The page asks for a draft whose token this browser does not have: the user decides.
      if (this.given.submission) this.state = 'expired';
      else if (!form.is_active) throw inactive();
    }
    return this.options;
  }

  /** Becomes a respondent, if the visitor is none. Call it while no other tab or element does. */
  async become(form: FormSchema): Promise<DraftOptions> {
    if (this.stored === undefined) await this.begin(form);
    return this.options;
  }

  /** Call when a submission is opened in place of `before`. */
  async opened(answers: Answers, before: Answers | undefined): Promise<void> {
    const last = this.stored?.submissions[0];
    if (this.isAnew && before !== undefined) await carryOver(before, answers);
    else if (this.isAnew && last !== undefined)
      carryOverUnsaved(unsavedAnswers(last, this.options.storage), answers);
    this.isAnew = false;
    if (answers.submission.uuid) this.remember(answers.submission.uuid);
  }

  remember(submission: string): void {
    if (this.stored === undefined) return;
    const { token } = this.stored;
    const found = this.read();
    // Another tab has stored another token. Replacing it would put that tab's answers out of reach.
    if (found !== undefined && found.token !== token) return;
    const submissions = [submission, ...(found?.submissions ?? []), ...this.stored.submissions];
    this.store({ token, submissions: [...new Set(submissions)] });
  }

  /** @throws the error of the client if the service still accepts the token */
  async signOut(): Promise<void> {
    const { client, storage } = this.options;
    this.attempt((items) => items.removeItem(this.name));
    for (const submission of this.stored?.submissions ?? []) unsavedAnswers(submission, storage).clear();
    if (this.stored) await client.endRespondent();
  }

  private async resume(code: string): Promise<void> {
    const { client } = this.options;
    const { data } = await client.resume(code);
    const [last] = this.stored?.submissions ?? [];
    this.adopt(data.token);
    // Stay in the submission that this device has opened last, if it belongs to this respondent.
    const read = last === undefined ? undefined : await client.getSubmission(last).catch(() => undefined);
    const submission = read?.data.status === 'draft' ? last : undefined;
    this.options = { ...this.options, submission };
  }

  private async beginAgain(form: FormSchema): Promise<void> {
    await exclusively(this.name, () => this.begin(form));
    this.isAnew = true;
    this.options = { ...this.options, submission: undefined };
  }

  private async begin(form: FormSchema): Promise<void> {
    if (this.followOtherTab()) return;
    const token = await this.create(form);
    // Without locks, another tab may have begun meanwhile. Its token must not be overwritten.
    if (!this.followOtherTab()) this.adopt(token);
  }

  /** Takes over the token that another tab or element has stored meanwhile. Returns false if there is none. */
  private followOtherTab(): boolean {
    const found = this.read();
    if (found === undefined || found.token === this.stored?.token) return false;
    this.state = 'active';
    this.stored = found;
    return true;
  }

  private async create({ uuid, proof_of_work }: FormSchema): Promise<string> {
    let needsProof = proof_of_work !== null;
    for (let attempt = 1; ; attempt += 1) {
      const proof = needsProof ? await this.prove(uuid) : undefined;
      try {
        const body = proof === undefined ? { form_uuid: uuid } : { form_uuid: uuid, proof };
        return (await this.options.client.createRespondent(body)).data.token;
      } catch (error) {
        // The challenge has expired or was used, or the form asks for a proof since its schema was read.
        if (attempt > 1 || !isAboutProof(error)) throw error;
        needsProof = true;
      }
    }
  }

  /** Resolves to undefined if the form no longer asks for a proof. */
  private async prove(uuid: string): Promise<string | undefined> {
    const { solve } = await import('./proof.js').catch((cause: unknown) => {
      throw new NetworkError(cause);
    });
    try {
      const { data } = await this.options.client.getChallenge(uuid);
      return await solve(data, this.onProgress);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  private adopt(token: string): void {
    this.state = 'active';
    this.store({ token, submissions: this.stored?.submissions ?? [] });
  }

  private store(stored: Stored): void {
    this.stored = stored;
    this.attempt((storage) => storage.setItem(this.name, JSON.stringify(stored)));
  }

  private read(): Stored | undefined {
    return this.attempt((storage) => {
      const { token, submissions = [] } = JSON.parse(storage.getItem(this.name) ?? '{}') as Partial<Stored>;
      return token === undefined ? undefined : { token, submissions };
    });
  }

  /** Returns undefined if the device stores nothing. Then the token lasts as long as the page. */
  private attempt<Result>(use: (storage: DraftStorage) => Result): Result | undefined {
    return tryStorage(() => this.options.storage, use);
  }
}

/** Browsers throw an error if the user has blocked storage. Other environments have none. */
function browserStorage(remember = false): DraftStorage | undefined {
  try {
    const { localStorage, sessionStorage }: Partial<typeof globalThis> = globalThis;
    return remember ? localStorage : sessionStorage;
  } catch {
    return undefined;
  }
}

/** The error that the service gives a visitor who begins an inactive form. The page shows it before, because looking begins nothing. */
function inactive(): InvalidError {
  const detail = 'Inactive.';
  const error = { field: 'form_uuid', code: 'inactive_form', params: {}, detail } as const;
  const response = { code: 'invalid_data', requestId: undefined, retryAfter: 0 } as const;
  return new InvalidError(422, { ...response, message: detail, errors: [error] });
}

function isAboutProof(error: unknown): boolean {
  return error instanceof InvalidError && error.errors.some(({ field }) => field === 'proof');
}
