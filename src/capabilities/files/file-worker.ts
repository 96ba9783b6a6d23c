import type { Database } from '../../database/database.js';
import {
  CLAIM_DELETIONS,
  CLAIM_SCANS,
  EXPIRE_FILES,
  FIND_LATE_DELETIONS,
  FINISH_DELETION,
  LOCK_SUBMISSIONS_OF_EXPIRED_FILES,
  PUT_OFF_SCAN,
  STORE_SCAN,
} from './file.statements.js';
import type { Clamd } from './scanning/clamd.js';
import type { StoredObjects } from './storage/file-storage.js';

/**
 * Number of deletions that a worker claims at once. A worker must finish them within a minute. After a minute, other
 * workers may claim the same deletions.
 */
const DELETIONS_AT_ONCE = 50;
const EXPIRED_AT_ONCE = 100;
/** Parallel scans. clamd uses one thread for each scan. */
const SCANS_AT_ONCE = 2;

const NOT_DELETED =
  'The content of a file could not be deleted. The service retries. Check the storage that FILES_URL names.';
const NOT_SCANNED =
  'A file could not be scanned. The service retries. Check clamd at CLAMD_URL, then the storage that FILES_URL names.';
const INFECTED = 'A file is infected, so its content is deleted. Tell those who work with the submission.';

/** Tells the operator what happened to a file, and what to do. */
export interface FileWarning {
  readonly msg: string;
  readonly reason: string;
  readonly file_uuid: string;
  readonly submission_uuid: string | null;
}

type FileReference = Pick<FileWarning, 'file_uuid' | 'submission_uuid'>;

/**
 * Does the background work for files: deletes content (U3), deletes unused files (U7), and scans files (U6). Any number
 * of workers share the work. If a worker dies, another worker finishes the work that the first had claimed.
 */
export class FileWorker {
  readonly counts = { deleted: 0, expired: 0, clean: 0, infected: 0, failed: 0 };
  /** The delay of the oldest due deletion at the end of the last call of {@link delete}. */
  late = { seconds: 0 };

  constructor(
    private readonly database: Database,
    private readonly storage: StoredObjects,
    private readonly clamd: Clamd | undefined,
    private readonly warn: (warning: FileWarning) => void,
  ) {}

  /** Deletes everything that is due, unless `signal` is aborted. Failed deletions are retried later. */
  async delete(signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true && (await this.expire()));
    while (signal?.aborted !== true && (await this.deleteDue()));
    const [late] = await this.database.query(FIND_LATE_DELETIONS);
    if (late !== undefined) this.late = late;
  }

  /** Scans everything that is due. Separate from {@link delete}, because a hanging clamd delays scans for minutes. */
  async scan(signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true && (await this.scanDue(signal)));
  }

  /** Deletes a batch of unused files. Returns whether more may be due, as {@link deleteDue} and {@link scanDue} do. */
  private async expire(): Promise<boolean> {
    const expired = await this.database.transaction(async (executor) => {
      const locked = await executor.query(LOCK_SUBMISSIONS_OF_EXPIRED_FILES, [EXPIRED_AT_ONCE]);
      // A separate statement, so that its snapshot includes everything that was committed before we had the locks.
      return locked.length === 0 ? undefined : executor.query(EXPIRE_FILES, [locked.map(({ uuid }) => uuid)]);
    });
    this.counts.expired += expired?.length ?? 0;
    return expired !== undefined;
  }

  private async deleteDue(): Promise<boolean> {
    const claimed = await this.database.query(CLAIM_DELETIONS, [DELETIONS_AT_ONCE]);
    for (const { uuid, submission_uuid } of claimed) {
      const isDone = await this.attempt({ file_uuid: uuid, submission_uuid }, NOT_DELETED, () =>
        this.storage.delete(uuid),
      );
      // Stop, because every deletion would time out if the storage is unreachable.
      if (!isDone) return false;
      await this.database.query(FINISH_DELETION, [uuid]);
      this.counts.deleted += 1;
    }
    return claimed.length > 0;
  }

  private async scanDue(signal?: AbortSignal): Promise<boolean> {
    const { clamd } = this;
    if (clamd === undefined) return false;
    const claimed = await this.database.query(CLAIM_SCANS, [SCANS_AT_ONCE]);
    const scanned = await Promise.all(
      claimed.map(({ uuid, submission_uuid }) =>
        this.scanFile(clamd, { file_uuid: uuid, submission_uuid }, signal),
      ),
    );
    return claimed.length > 0 && scanned.every(Boolean);
  }

  private async scanFile(clamd: Clamd, file: FileReference, signal?: AbortSignal): Promise<boolean> {
    const { file_uuid: uuid } = file;
    const scan = async () => {
      const content = await this.storage.read(uuid);
      if (content === undefined) throw new Error('the storage does not have the file');
      const verdict = await clamd.scan(content, signal);
      await this.database.query(STORE_SCAN, [uuid, verdict.state]);
      this.counts[verdict.state] += 1;
      if (verdict.state === 'infected') this.warn({ msg: INFECTED, reason: verdict.signature, ...file });
    };
    const isDone = await this.attempt(file, NOT_SCANNED, scan, signal);
    if (!isDone) await this.database.query(PUT_OFF_SCAN, [uuid]);
    return isDone;
  }

  /** Returns whether the work succeeded. An abort by `signal` is not counted as a failure. */
  private async attempt(file: FileReference, msg: string, work: () => Promise<void>, signal?: AbortSignal) {
    try {
      await work();
      return true;
    } catch (error) {
      if (signal?.aborted === true) return false;
      this.counts.failed += 1;
      this.warn({ msg, reason: (error as Error).message, ...file });
      return false;
    }
  }
}
