import type { SubmissionFile } from 'formtrail-client';
import { Autosave, mayPass } from './autosave.js';
import type { StoredSubmission } from './stored-submission.js';

/** Asks what files the answers stand for, and asks again while a scanner is to look at one of them. */
export class KnownFiles {
  /** A request is under way, or will be. */
  private isAsking = false;
  private readonly again = new Autosave(() => void this.ask());

  constructor(
    private readonly submission: StoredSubmission,
    private readonly changed: () => void,
  ) {}

  /** `values` are all answers, and those that are in conflict; `isFollowed`: whether anybody sees what becomes of a file. */
  follow(values: readonly string[], isFollowed: boolean): void {
    if (this.isAsking) return;
    const { files } = this.submission;
    const held = values.filter((value) => value.startsWith('file:'));
    if (held.some((value) => !files.has(value))) void this.ask(held);
    else if (isFollowed && held.some((value) => isAwaited(files.get(value)))) this.askAgain(undefined);
    else this.again.succeeded();
  }

  stop(): void {
    this.again.stop();
    this.isAsking = false;
  }

  private async ask(held: readonly string[] = []): Promise<void> {
    this.isAsking = true;
    try {
      await this.submission.readFiles();
    } catch (error) {
      if (mayPass(error)) {
        this.askAgain(error);
        return;
      }
    }
    // What the service does not have is asked for once.
    const { files } = this.submission;
    this.submission.files = new Map([...held.map((value) => [value, undefined] as const), ...files]);
    this.isAsking = false;
    this.changed();
  }

  private askAgain(error: unknown): void {
    this.isAsking = true;
    this.again.againAfter(error);
  }
}

/** Whether a scanner has still to say what it is (U6). */
function isAwaited(file: SubmissionFile | undefined): boolean {
  return file !== undefined && file.state === 'stored' && !file.is_ready;
}
