import type { Mistake, SubmissionFile } from 'formtrail-client';
import type { AnswerKey } from './answer-key.js';
import { Autosave, mayPass } from './autosave.js';
import type { StoredSubmission } from './stored-submission.js';

/** Loads the files that the answers reference, and polls while a virus scan of one of them is pending. */
export class KnownFiles {
  /** A request is in flight or scheduled. */
  private isLoading = false;
  private readonly retries = new Autosave(() => void this.load());

  constructor(
    private readonly submission: StoredSubmission,
    private readonly changed: () => void,
  ) {
    submission.mistakeOfFile = infected;
  }

  /** Polls for pending scans only if `hasListeners`. `values` are all answers, and the stored values of conflicts. */
  follow(values: readonly string[], hasListeners: boolean): void {
    if (this.isLoading) return;
    const { files } = this.submission;
    const held = values.filter((value) => value.startsWith('file:'));
    if (held.some((value) => !files.has(value))) void this.load(held);
    else if (hasListeners && held.some((value) => isScanPending(files.get(value)))) this.loadLater(undefined);
    else this.retries.succeeded();
  }

  stop(): void {
    this.retries.stop();
    this.isLoading = false;
  }

  private async load(held: readonly string[] = []): Promise<void> {
    this.isLoading = true;
    try {
      await this.submission.readFiles();
    } catch (error) {
      if (mayPass(error)) {
        this.loadLater(error);
        return;
      }
    }
    // Record files that the service does not have, so that they are not requested again.
    const { files } = this.submission;
    this.submission.files = new Map([...held.map((value) => [value, undefined] as const), ...files]);
    this.isLoading = false;
    this.changed();
  }

  private loadLater(error: unknown): void {
    this.isLoading = true;
    this.retries.againAfter(error);
  }
}

/** Whether the scanner has not checked the file yet (U6). */
function isScanPending(file: SubmissionFile | undefined): boolean {
  return file !== undefined && file.state === 'stored' && !file.is_ready;
}

function infected(key: AnswerKey, file: SubmissionFile | undefined): Mistake | undefined {
  if (file?.state !== 'infected') return undefined;
  const detail = 'The file is infected. Upload another file.';
  return { field: key, code: 'file_infected', params: {}, detail };
}
