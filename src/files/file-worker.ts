import type { Database } from '../database/database.js';
import {
  CLAIM_DELETIONS,
  CLAIM_SCANS,
  EXPIRE_FILES,
  FIND_LATE_DELETIONS,
  FINISH_DELETION,
  LOCK_EXPIRED,
  PUT_OFF_SCAN,
  STORE_SCAN,
} from './file.statements.js';
import type { Clamd } from './scanning/clamd.js';
import type { StoredObjects } from './storage/file-storage.js';

/** Few enough to be done within the minute after which others take them for abandoned. */
const DELETIONS_AT_ONCE = 50;
const EXPIRED_AT_ONCE = 100;
/** clamd scans each in a thread of its own. */
const SCANS_AT_ONCE = 2;

const NOT_DELETED =
  'The bytes of a file could not be deleted. This is tried again; check the storage that FILES_URL names.';
const NOT_SCANNED =
  'A file could not be scanned. This is tried again; check clamd at CLAMD_URL, then the storage that FILES_URL names.';
const INFECTED = 'A file is infected, so its bytes are deleted. Tell those who work with the submission.';

/** For people: what happened to a file and what to do. */
export interface FileWarning {
  readonly msg: string;
  readonly reason: string;
  readonly file_uuid: string;
  /** Null if an older version queued the file. */
  readonly submission_uuid: string | null;
}

type FileReference = Pick<FileWarning, 'file_uuid' | 'submission_uuid'>;

/**
 * What is done for files while nobody waits: deleting bytes (U3), deleting what was never used (U7), scanning (U6). Any number
 * of workers share it, and what one of them did not finish another one does.
 */
export class FileWorker {
  /** Since the process started. */
  readonly counts = { deleted: 0, expired: 0, clean: 0, infected: 0, failed: 0 };
  /** Of deletions, when this was last looked at. */
  late = { seconds: 0 };

  constructor(
    private readonly database: Database,
    private readonly storage: StoredObjects,
    private readonly clamd: Clamd | undefined,
    private readonly warn: (warning: FileWarning) => void,
  ) {}

  /** Deletes all that is due, until `signal` says stop; what fails is tried again in a while. */
  async delete(signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true && (await this.expire()));
    while (signal?.aborted !== true && (await this.deleteDue()));
    const [late] = await this.database.query(FIND_LATE_DELETIONS);
    if (late !== undefined) this.late = late;
  }

  /** Scans all that is due, as {@link delete} deletes: apart from it, because a clamd that hangs holds this up for minutes. */
  async scan(signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true && (await this.scanDue(signal)));
  }

  /** Whether there may be more, as of the others. */
  private async expire(): Promise<boolean> {
    const expired = await this.database.transaction(async (executor) => {
      const locked = await executor.query(LOCK_EXPIRED, [EXPIRED_AT_ONCE]);
      // Another statement, which sees what others have done before the lock was theirs.
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
      // A storage that is away takes as long to fail for each of them.
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
      if (content === undefined) throw new Error('the storage does not have it');
      const verdict = await clamd.scan(content, signal);
      await this.database.query(STORE_SCAN, [uuid, verdict.state]);
      this.counts[verdict.state] += 1;
      if (verdict.state === 'infected') this.warn({ msg: INFECTED, reason: verdict.signature, ...file });
    };
    const isDone = await this.attempt(file, NOT_SCANNED, scan, signal);
    if (!isDone) await this.database.query(PUT_OFF_SCAN, [uuid]);
    return isDone;
  }

  /** Whether it was done. What `signal` stopped has not failed. */
  private async attempt(
    file: FileReference,
    msg: string,
    work: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<boolean> {
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
