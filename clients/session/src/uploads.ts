import { FormtrailError, type Mistake, type SubmissionFile, UnauthenticatedError } from 'formtrail-client';
import type { AnswerKey, Place } from './answer-key.js';
import { Autosave, mayPass } from './autosave.js';
import { mediaTypeOf, mistakeOfFile, mistakeOfUpload, type NamedFile } from './file-mistakes.js';
import type { Situation } from './situation.js';
import type { Upload } from './snapshot.js';
import { failToLoad, type StoredSubmission } from './stored-submission.js';

const MAX_PARALLEL = 3;

interface Task extends Place {
  readonly key: AnswerKey;
  readonly file: NamedFile;
  readonly controller: AbortController;
  shown: Upload;
  /** An earlier attempt may have reached the service. */
  isRepeated?: boolean;
  ended?: Promise<void>;
}

export interface UploadEvents {
  readonly changed: () => unknown;
  /** Begins the submission, if necessary. */
  readonly begin: () => Promise<void>;
  /** The upload is finished, and `value` is the answer. */
  readonly stored: (key: AnswerKey, value: string) => void;
}

/** Uploads files, up to three in parallel, and restarts uploads whose connection was lost. */
export class Uploads {
  private readonly tasks = new Map<AnswerKey, Task>();
  private readonly retries = new Autosave(() => this.retry());
  /** The service does not store files (U1), so their names are the answers. */
  private areNames = false;
  private hasListeners = false;

  constructor(
    private readonly submission: StoredSubmission,
    private readonly events: UploadEvents,
  ) {}

  get shown(): Pick<Situation, 'uploads' | 'isUploading'> {
    const uploads = new Map([...this.tasks].map(([key, { shown }]) => [key, shown]));
    const isUploading = [...uploads.values()].some(({ state }) => state !== 'refused');
    return { uploads, isUploading };
  }

  add(key: AnswerKey, place: Place, file: NamedFile): void {
    this.cancel(key);
    const { name, size } = file;
    const shown: Upload = { name, size, sent: 0, state: 'waiting', error: undefined, mistake: undefined };
    const task: Task = { ...place, key, file, shown, controller: new AbortController() };
    this.tasks.set(key, task);
    const mistake = mistakeOfFile(key, place.field, file);
    if (mistake === undefined) this.begin();
    else this.reject(task, mistake);
  }

  cancel(key: AnswerKey): void {
    const task = this.tasks.get(key);
    if (task === undefined) return;
    this.tasks.delete(key);
    task.controller.abort();
    this.events.changed();
    this.begin();
  }

  /** Cancels all uploads, except those for these records (null: outside of entries). */
  cancelOutside(records: ReadonlySet<number | null> = new Set()): void {
    for (const { key, recordId } of [...this.tasks.values()]) if (!records.has(recordId)) this.cancel(key);
  }

  /** Restarts interrupted uploads. */
  retry(): void {
    for (const task of this.tasks.values())
      if (task.shown.state === 'interrupted') this.show(task, 'waiting');
    this.begin();
  }

  /**
   * Waits until these uploads, or all uploads by default, have finished or were rejected.
   *
   * @throws the error that interrupted one of them
   */
  async settle(keys: readonly AnswerKey[] = [...this.tasks.keys()]): Promise<void> {
    for (const key of keys) {
      for (let task = this.tasks.get(key); task !== undefined; task = this.tasks.get(key)) {
        const { state, error } = task.shown;
        if (state === 'interrupted') throw error;
        if (state === 'refused') break;
        // A waiting upload begins when another one ends.
        await (task.ended ?? Promise.race([...this.tasks.values()].flatMap(({ ended }) => ended ?? [])));
      }
    }
  }

  watch(): void {
    this.hasListeners = true;
    this.retries.watch();
    this.retry();
  }

  unwatch(): void {
    this.hasListeners = false;
    this.retries.unwatch();
    this.retries.stop();
  }

  /** Cancels all uploads for good. */
  close(): void {
    this.cancelOutside();
    this.unwatch();
  }

  private begin(): void {
    const tasks = [...this.tasks.values()];
    const room = MAX_PARALLEL - tasks.filter(({ shown }) => shown.state === 'uploading').length;
    for (const task of tasks.filter(({ shown }) => shown.state === 'waiting').slice(0, Math.max(room, 0)))
      task.ended = this.run(task);
  }

  private async run(task: Task): Promise<void> {
    this.show(task, 'uploading', { sent: 0, error: undefined });
    try {
      const value = this.areNames ? task.file.name : (await this.upload(task)).value;
      if (this.tasks.get(task.key) !== task) return;
      this.tasks.delete(task.key);
      this.retries.succeeded();
      this.events.stored(task.key, value);
      this.events.changed();
    } catch (error) {
      delete task.ended;
      if (this.tasks.get(task.key) !== task) return;
      if (error instanceof FormtrailError && error.code === 'route_not_found') {
        this.areNames = true;
        return this.run(task);
      }
      if (mayPass(error) || error instanceof UnauthenticatedError) {
        this.show(task, 'interrupted', { error });
        if (this.hasListeners && mayPass(error)) this.retries.againAfter(error);
      } else this.reject(task, mistakeOfUpload(task.key, error));
    }
    this.begin();
  }

  private async upload(task: Task): Promise<SubmissionFile> {
    const { file, field, recordId } = task;
    const { signal } = task.controller;
    const sha256 = await sha256Of(file);
    await this.events.begin();
    const { client, uuid } = this.submission;
    const earlier = task.isRepeated ? await this.findEarlierAttempt(task, sha256) : undefined;
    if (earlier !== undefined) return earlier;
    task.isRepeated = true;
    const announced = {
      ...{ field_code: field.code, entity_record_id: recordId },
      ...{ name: file.name, size: file.size, media_type: mediaTypeOf(file), sha256 },
    };
    signal.throwIfAborted();
    // Without `signal`: only the response tells which file to delete after an abort.
    const { data } = await client.createFile(uuid, announced);
    try {
      signal.throwIfAborted();
      const onProgress = (sent: number) => this.show(task, 'uploading', { sent: Math.min(sent, file.size) });
      await client.uploadFileContent(uuid, data, file, { signal, onProgress });
      const committed = (await client.commitFile(uuid, data.uuid, { signal })).data;
      this.submission.files = new Map(this.submission.files).set(committed.value, committed);
      return committed;
    } catch (error) {
      // This file will not be committed. If the deletion fails, the service deletes the file after 24 hours.
      if (signal.aborted || !mayPass(error)) client.deleteFile(uuid, data.uuid).catch(() => undefined);
      throw error;
    }
  }

  /** Returns the file of an earlier attempt whose response was lost, if it was stored. Deletes pending files of such attempts. */
  private async findEarlierAttempt(
    { file, field, recordId }: Task,
    sha256: string,
  ): Promise<SubmissionFile | undefined> {
    const { client, uuid } = this.submission;
    const same = (await this.submission.readFiles()).filter(
      (one) =>
        one.sha256 === sha256 &&
        one.name === file.name &&
        one.field_code === field.code &&
        one.entity_record_id === recordId,
    );
    for (const pending of same.filter(({ state }) => state === 'pending'))
      await client.deleteFile(uuid, pending.uuid);
    return same.find(({ state }) => state === 'stored' || state === 'clean');
  }

  private reject(task: Task, mistake: Mistake): void {
    this.show(task, 'refused', { mistake });
  }

  private show(task: Task, state: Upload['state'], more: Partial<Upload> = {}): void {
    task.shown = { ...task.shown, ...more, state };
    this.events.changed();
  }
}

/** SHA-256 as 64 hexadecimal digits. On a page without HTTPS, browsers have no `crypto.subtle`. */
async function sha256Of(file: Blob): Promise<string> {
  const { subtle } = crypto as Partial<Crypto>;
  const content = await file.arrayBuffer();
  const digest = subtle
    ? new Uint8Array(await subtle.digest('SHA-256', content))
    : (await import('./search.js').catch(failToLoad)).sha256(new Uint8Array(content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
