// A chunk of its own, loaded only for visitors of public forms.
import {
  type FormSchema,
  FormtrailClient,
  InvalidError,
  NetworkError,
  NotFoundError,
} from 'formtrail-client';
import type { Answers } from './answers.js';
import { carryOver, carryOverUnsaved } from './carry-over.js';
import { type DraftOptions, unsavedAnswers } from './opening.js';
import type { DraftStorage } from './unsaved-answers.js';

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
   * Continues with the stored token, or begins as a new respondent. With a `code`, continues as its respondent; with `''`, begins as
   * a new respondent in any case.
   */
  async start(form: FormSchema, code: string | undefined): Promise<DraftOptions> {
    const { url = '' } = this.given.client.options;
    this.name = `formtrail:${url.replace(/\/$/, '')}:${form.uuid}`;
    this.stored ??= this.read();
    if (code) await this.resume(code);
    else if (code !== undefined) await this.beginAgain(form);
    else if (this.stored === undefined) {
      // The page asks for a draft whose token this browser does not have: the user decides.
      if (this.given.submission) this.state = 'expired';
      else await this.begin(form);
    }
    return this.options;
  }

  /** Call when a submission is opened in place of `before`. */
  async opened(answers: Answers, before: Answers | undefined): Promise<void> {
    if (this.stored === undefined) return;
    const { token, submissions } = this.stored;
    const [last] = submissions;
    if (this.isAnew && before !== undefined) await carryOver(before, answers);
    else if (this.isAnew && last !== undefined)
      carryOverUnsaved(unsavedAnswers(last, this.options.storage), answers);
    this.isAnew = false;
    this.store({ token, submissions: [...new Set([answers.submission.uuid, ...submissions])] });
  }

  /** @throws the error of the client if the service still accepts the token */
  async signOut(): Promise<void> {
    const { client, storage } = this.options;
    this.attempt((items) => items.removeItem(this.name));
    for (const submission of this.stored?.submissions ?? []) unsavedAnswers(submission, storage).clear();
    await client.endRespondent();
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
    await this.begin(form);
    this.isAnew = true;
    this.options = { ...this.options, submission: undefined };
  }

  private async begin({ uuid, proof_of_work }: FormSchema): Promise<void> {
    let needsProof = proof_of_work !== null;
    for (let attempt = 1; ; attempt += 1) {
      const proof = needsProof ? await this.prove(uuid) : undefined;
      try {
        const body = proof === undefined ? { form_uuid: uuid } : { form_uuid: uuid, proof };
        const { data } = await this.options.client.createRespondent(body);
        this.adopt(data.token);
        return;
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

  /** Returns undefined if there is no storage, the browser denies access to it, or it is full. Then the token lasts as long as the page. */
  private attempt<Result>(use: (storage: DraftStorage) => Result): Result | undefined {
    try {
      return this.options.storage && use(this.options.storage);
    } catch {
      return undefined;
    }
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

function isAboutProof(error: unknown): boolean {
  return error instanceof InvalidError && error.errors.some(({ field }) => field === 'proof');
}
