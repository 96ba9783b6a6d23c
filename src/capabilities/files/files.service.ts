import { Injectable } from '@nestjs/common';
import { v7 as uuidV7 } from 'uuid';
import { FileSettings } from './settings.js';
import { Database } from '../../database/database.js';
import { isForeignKeyViolation, RowLockedError } from '../../database/database-errors.js';
import type { Executor } from '../../database/statement.js';
import type { PublishedField } from '../../forms/published-form.js';
import { API_PREFIX } from '../../http/api-prefix.js';
import { alreadyCompletedProblem, invalidDataProblem, notFoundProblem } from '../../http/errors/problems.js';
import { DraftsService } from '../../submissions/drafts/drafts.service.js';
import { TOUCH_LOCKED } from '../../submissions/records/record.statements.js';
import { type FormMatch, SubmissionFormsService } from '../../submissions/drafts/submission-forms.service.js';
import type { SubmissionReference } from '../../submissions/submission-reference.decorator.js';
import { FIND_FOREIGN_RECORDS } from '../../submissions/values/value.statements.js';
import { UserStorageService } from '../../submissions/values/user-storage.service.js';
import { LOCK_USER } from '../../submissions/values/user-storage.statements.js';
import { acceptedType, contentTypeOf } from './content-type.js';
import type { CreateFileDto } from './dto/create-file.dto.js';
import type { FileResponse, FileWithUploadResponse } from './dto/file.response.js';
import {
  COUNT_FILES,
  DELETE_FILE,
  DELETE_VALUE_OF_FILE,
  type FileRow,
  FIND_FILE,
  type FoundFile,
  INSERT_FILE,
  isFile,
  LIST_FILES,
  STORE_FILE,
} from './file.statements.js';
import {
  contentError,
  fileFieldOf,
  countErrors,
  tooMuchStoredError,
  typeError,
  unknownRecordError,
} from './file-errors.js';
import { presentFile, presentUpload } from './file.presenter.js';
import { ANY_BYTES } from './media-types.js';
import { StorageGateway } from './storage/storage-gateway.js';
import { UPLOAD_SECONDS } from './storage/file-storage.js';
import { fileAlreadyStoredProblem, fileNotFoundProblem } from './problems.js';

type NewFile = CreateFileDto & Pick<FileRow, 'uuid' | 'media_type'>;

/** Creates uploads, and commits, lists and deletes files (U2 to U5). */
@Injectable()
export class FilesService {
  constructor(
    private readonly database: Database,
    private readonly forms: SubmissionFormsService,
    private readonly drafts: DraftsService,
    private readonly storage: StorageGateway,
    private readonly userStorage: UserStorageService,
    private readonly settings: FileSettings,
  ) {}

  async create(
    reference: SubmissionReference,
    announced: CreateFileDto,
    baseUrl: string,
  ): Promise<FileWithUploadResponse> {
    // Media types are case-insensitive (RFC 9110, section 8.3.1). Browsers send an empty text for an unknown type.
    const media_type = announced.media_type?.toLowerCase() || ANY_BYTES;
    const file: NewFile = Object.assign({}, announced, { uuid: uuidV7(), media_type });
    const resolve = (executor: Executor) =>
      this.forms.resolve(executor, reference, (form) => fileFieldOf(form, file));
    await resolve(this.database);
    const expiresAt = Date.now() + UPLOAD_SECONDS * 1000;
    // Ask the storage before the insert: if it cannot be reached, no file must count against the limits (U5).
    const target = (await this.storage.run(async (storage) => storage.uploadTarget?.(file))) ?? {
      url: `${baseUrl}${API_PREFIX}/submissions/${reference.uuid}/files/${file.uuid}/content`,
      headers: {},
    };
    const row = await this.database.transaction(
      // Resolve the field in each attempt, because another program may have deleted the field meanwhile.
      async (executor) => this.insert(executor, reference, await resolve(executor), file),
      // The lock of the user comes first, so calls of the same user would only wait for each other.
      `user ${reference.userId}`,
    );
    return Object.assign(this.present({ ...row, field_code: announced.field_code }), {
      upload: presentUpload(target, expiresAt),
    });
  }

  private async insert(
    executor: Executor,
    reference: SubmissionReference,
    { form, found: field }: FormMatch<PublishedField>,
    { uuid, entity_record_id: recordId = null, name, size, media_type, sha256 }: NewFile,
  ): Promise<FileRow> {
    // Parallel calls for other submissions of the user count each other's files (V9, P6).
    const [locked] = await executor.query(LOCK_USER, [reference.userId]);
    if (locked === undefined) {
      // The user is locked, or was deleted together with the submission.
      await this.drafts.find(executor, reference);
      throw new RowLockedError();
    }
    this.forms.requireForm(form, reference.uuid, await this.drafts.lockDraft(executor, reference));
    const foreign =
      recordId === null ? [] : await executor.query(FIND_FOREIGN_RECORDS, [reference.uuid, [recordId]]);
    if (foreign.length > 0) throw invalidDataProblem({ entity_record_id: [unknownRecordError()] });
    const [counted] = await executor.query(COUNT_FILES, [reference.uuid, field.id, recordId]);
    const tooMany = countErrors(counted as NonNullable<typeof counted>, field, size);
    if (tooMany !== undefined) throw invalidDataProblem(tooMany);
    const maxOfUser = reference.scope?.maxStored['files'] ?? Infinity;
    const exceeded = await this.userStorage.exceeded(executor, 'files', reference.userId, size, maxOfUser);
    if (exceeded !== undefined) throw invalidDataProblem({ size: [tooMuchStoredError(exceeded)] });
    const row = [uuid, reference.uuid, form.id, field.id, recordId, name, size, media_type, sha256];
    try {
      const [inserted] = await executor.query(INSERT_FILE, row);
      return inserted as FileRow;
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      // Another program has just deleted the field or the record: run the transaction again with the current form.
      this.forms.forgetForm(form.id);
      throw new RowLockedError();
    }
  }

  /** @throws Problem 404 for the submission, or else for the file (S1) */
  async find(
    { uuid: submission, userId }: SubmissionReference,
    uuid: string,
    executor: Executor = this.database,
  ): Promise<FoundFile> {
    const [row] = await executor.query(FIND_FILE, [uuid, submission, userId]);
    if (row === undefined) throw notFoundProblem('Submission');
    if (!isFile(row)) throw fileNotFoundProblem();
    return row;
  }

  async findPending(reference: SubmissionReference, uuid: string): Promise<FileRow> {
    const row = await this.find(reference, uuid);
    if (row.state !== 'pending') throw fileAlreadyStoredProblem();
    const { status } = await this.drafts.find(this.database, { ...reference, ifMatch: undefined });
    if (status === 'completed') throw alreadyCompletedProblem();
    await this.drafts.requireWritable(this.database, { ...reference, ifMatch: undefined });
    return row;
  }

  async list({ uuid, userId }: SubmissionReference): Promise<FileResponse[]> {
    const rows = await this.database.query(LIST_FILES, [uuid, userId]);
    if (rows.length === 0) throw notFoundProblem('Submission');
    return rows.filter(isFile).map((row) => this.present(row));
  }

  async get(reference: SubmissionReference, uuid: string): Promise<FileResponse> {
    return this.present(await this.find(reference, uuid));
  }

  /** Idempotent: a second commit of the same file changes nothing. */
  async commit(reference: SubmissionReference, uuid: string): Promise<FileResponse> {
    const row = await this.find(reference, uuid);
    // Check the submission before the content, because its errors take precedence. `store` checks it again under the lock.
    const { status } = await this.drafts.find(this.database, reference);
    if (row.state !== 'pending') return this.present(row);
    if (status === 'completed') throw alreadyCompletedProblem();
    await this.drafts.requireWritable(this.database, reference);
    const mediaType = await this.verify(row);
    return this.present(await this.store(reference, uuid, mediaType));
  }

  /** Promotes the upload if it has the right size and hash. Returns the media type of the file. */
  private async verify(row: FoundFile): Promise<string> {
    const promotion = await this.storage.run((storage) => storage.promote(row));
    if (promotion !== 'promoted') throw invalidDataProblem({ content: [contentError(promotion, row)] });
    const found = await this.storage.run(async (storage) => {
      const content = await storage.read(row.uuid);
      if (content === undefined) throw fileNotFoundProblem();
      return contentTypeOf(content);
    });
    const { accept } = row;
    const mediaType = acceptedType(accept, row, found);
    if (mediaType === undefined) throw invalidDataProblem({ content: [typeError('content', accept)] });
    return mediaType;
  }

  private async store(reference: SubmissionReference, uuid: string, mediaType: string): Promise<FoundFile> {
    return this.database.transaction(async (executor) => {
      await this.drafts.lockDraft(executor, reference);
      const [stored] = await executor.query(STORE_FILE, [uuid, mediaType]);
      // Without a row, a parallel commit has stored the file, or a parallel request has deleted the file.
      return stored ?? this.find(reference, uuid, executor);
    }, reference.uuid);
  }

  async delete(reference: SubmissionReference, uuid: string): Promise<void> {
    // Reject a missing file (404) before checking If-Match (412).
    await this.find(reference, uuid);
    await this.database.transaction(async (executor) => {
      const { status } = await this.drafts.lock(executor, reference);
      const row = await this.find(reference, uuid, executor);
      if (status === 'completed') throw alreadyCompletedProblem();
      await this.drafts.requireWritable(executor, reference);
      const [value] = await executor.query(DELETE_VALUE_OF_FILE, [reference.uuid, row.field_id, uuid]);
      if (value !== undefined) await executor.query(TOUCH_LOCKED, [reference.uuid]);
      await executor.query(DELETE_FILE, [uuid]);
    }, reference.uuid);
  }

  private present(row: FileRow & Pick<FoundFile, 'field_code'>): FileResponse {
    return presentFile(row, row.field_code, this.settings.clamdUrl !== undefined);
  }
}
