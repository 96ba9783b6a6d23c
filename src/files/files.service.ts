import { Injectable } from '@nestjs/common';
import { v7 as uuidV7 } from 'uuid';
import { Environment } from '../config/environment.js';
import { Database } from '../database/database.js';
import { isForeignKeyViolation, RowLockedError } from '../database/database-errors.js';
import type { Executor } from '../database/statement.js';
import type { PublishedField, PublishedForm } from '../forms/published-form.js';
import { API_PREFIX } from '../http/api-prefix.js';
import {
  alreadyCompleted,
  type FieldErrors,
  fileAlreadyStored,
  invalid,
  mistake,
  notFound,
} from '../http/problems.js';
import { SubmissionWriter } from '../submissions/lifecycle/submission-writer.service.js';
import { TOUCH_LOCKED } from '../submissions/records/record.statements.js';
import { SubmissionFormsService } from '../submissions/submission-forms.service.js';
import type { SubmissionReference } from '../submissions/submission-reference.decorator.js';
import { FIND_FOREIGN_RECORDS } from '../submissions/submission.statements.js';
import { contentTypeOf, isAccepted, isAnnouncedAsAccepted, mediaTypeOf } from './content-type.js';
import type { CreateFileDto } from './dto/create-file.dto.js';
import type { FileResponse, FileWithUploadResponse } from './dto/file.response.js';
import {
  COUNT_FILES,
  DELETE_FILE,
  DELETE_VALUE_OF_FILE,
  type FileRow,
  FIND_FILE,
  INSERT_FILE,
  LIST_FILES,
  STORE_FILE,
} from './file.statements.js';
import { presentFile, presentUpload } from './file.presenter.js';
import { GuardedStorage } from './storage/guarded-storage.js';
import { type Kept, UPLOAD_SECONDS } from './storage/file-storage.js';

// U5
const MAX_FILES_OF_FIELD = 10;
const MAX_PENDING = 20;
const MAX_BYTES_OF_SUBMISSION = 100 * 1024 * 1024;

type NewFile = CreateFileDto & Pick<FileRow, 'uuid'>;

/** Files from their announcement to their end (U2 to U5). */
@Injectable()
export class FilesService {
  constructor(
    private readonly database: Database,
    private readonly forms: SubmissionFormsService,
    private readonly writer: SubmissionWriter,
    private readonly storage: GuardedStorage,
    private readonly environment: Environment,
  ) {}

  async create(
    reference: SubmissionReference,
    announced: CreateFileDto,
    baseUrl: string,
  ): Promise<FileWithUploadResponse> {
    const form = await this.forms.formOf(this.database, reference);
    const field = fileFieldOf(form, announced);
    const file: NewFile = Object.assign({}, announced, { uuid: uuidV7() });
    const expiresAt = Date.now() + UPLOAD_SECONDS * 1000;
    // First, so that no file counts that nobody was told where to upload (U5).
    const target = (await this.storage.reach((storage) => storage.uploadTarget(file))) ?? {
      url: `${baseUrl}${API_PREFIX}/submissions/${reference.uuid}/files/${file.uuid}/content`,
      headers: {},
    };
    const row = await this.database.transaction(
      (executor) => this.insert(executor, reference, form, field, file),
      reference.uuid,
    );
    return Object.assign(this.present(form, row), { upload: presentUpload(target, expiresAt) });
  }

  private async insert(
    executor: Executor,
    reference: SubmissionReference,
    form: PublishedForm,
    field: PublishedField,
    { uuid, entity_record_id: recordId = null, name, size, media_type, sha256 }: NewFile,
  ): Promise<FileRow> {
    const { status } = await this.writer.lockUnchanged(executor, reference);
    if (status === 'completed') throw alreadyCompleted();
    const foreign =
      recordId === null ? [] : await executor.query(FIND_FOREIGN_RECORDS, [reference.uuid, [recordId]]);
    if (foreign.length > 0) throw invalid({ entity_record_id: [unknownRecord()] });
    const [counted] = await executor.query(COUNT_FILES, [reference.uuid, field.id, recordId]);
    const tooMany = mistakesOfCount(counted as NonNullable<typeof counted>, field, size);
    if (tooMany !== undefined) throw invalid(tooMany);
    const type = media_type.toLowerCase();
    const row = [uuid, reference.uuid, form.id, field.id, recordId, name, size, type, sha256];
    try {
      const [inserted] = await executor.query(INSERT_FILE, row);
      return inserted as FileRow;
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      // The field was dropped in the milliseconds before the news of it came: once more, with the form as it is by then.
      this.forms.forgetForm(form.id);
      throw new RowLockedError();
    }
  }

  /** The row with the field's code; 404 where the user has no such file. */
  async find(reference: SubmissionReference, uuid: string): Promise<FileRow> {
    // 404 of the submission comes first (S1).
    await this.forms.formOf(this.database, reference);
    const [row] = await this.database.query(FIND_FILE, [uuid, reference.uuid, reference.userId]);
    if (row === undefined) throw notFound('File');
    return row;
  }

  /** One whose content may still come. */
  async findPending(reference: SubmissionReference, uuid: string): Promise<FileRow> {
    const row = await this.find(reference, uuid);
    if (row.state !== 'pending') throw fileAlreadyStored();
    const { status } = await this.writer.readUnchanged(this.database, { ...reference, ifMatch: undefined });
    if (status === 'completed') throw alreadyCompleted();
    return row;
  }

  async list(reference: SubmissionReference): Promise<FileResponse[]> {
    const form = await this.forms.formOf(this.database, reference);
    const rows = await this.database.query(LIST_FILES, [reference.uuid, reference.userId]);
    return rows.map((row) => this.present(form, row));
  }

  async get(reference: SubmissionReference, uuid: string): Promise<FileResponse> {
    const row = await this.find(reference, uuid);
    return this.present(await this.forms.formOf(this.database, reference), row);
  }

  /** Can be sent again: what is stored stays stored. */
  async commit(reference: SubmissionReference, uuid: string): Promise<FileResponse> {
    const row = await this.find(reference, uuid);
    const form = await this.forms.formOf(this.database, reference);
    // Said before what is wrong with the content, and found out again when it is stored.
    const { status } = await this.writer.readUnchanged(this.database, reference);
    if (row.state !== 'pending') return this.present(form, row);
    if (status === 'completed') throw alreadyCompleted();
    const mediaType = await this.verify(form, row);
    return this.present(form, await this.store(reference, uuid, mediaType));
  }

  /** Keeps what was uploaded if it is what was announced; its media type. */
  private async verify(form: PublishedForm, row: FileRow): Promise<string> {
    const kept = await this.storage.reach((storage) => storage.keep(row));
    if (kept !== 'kept') throw invalid({ content: [contentMistake(kept, row)] });
    const found = await this.storage.reach(async (storage) => {
      const content = await storage.read(row.uuid);
      if (content === undefined) throw notFound('File');
      return contentTypeOf(content);
    });
    const accept = form.fieldsById.get(row.field_id)?.accept ?? null;
    if (!isAccepted(accept, row, found)) throw invalid({ content: [typeMistake('content', accept)] });
    return mediaTypeOf(row.media_type, found);
  }

  private async store(reference: SubmissionReference, uuid: string, mediaType: string): Promise<FileRow> {
    return this.database.transaction(async (executor) => {
      const { status } = await this.writer.lockUnchanged(executor, reference);
      if (status === 'completed') throw alreadyCompleted();
      const [stored] = await executor.query(STORE_FILE, [uuid, mediaType]);
      // Of two commits at once the other came first, or somebody deleted it.
      const [row] =
        stored === undefined
          ? await executor.query(FIND_FILE, [uuid, reference.uuid, reference.userId])
          : [stored];
      if (row === undefined) throw notFound('File');
      return row;
    }, reference.uuid);
  }

  /** With the value that holds it, if one does. */
  async delete(reference: SubmissionReference, uuid: string): Promise<void> {
    // 404 comes before 412.
    await this.find(reference, uuid);
    await this.database.transaction(async (executor) => {
      const { status } = await this.writer.lockUnchanged(executor, reference);
      const [row] = await executor.query(FIND_FILE, [uuid, reference.uuid, reference.userId]);
      if (row === undefined) throw notFound('File');
      if (status === 'completed') throw alreadyCompleted();
      const [value] = await executor.query(DELETE_VALUE_OF_FILE, [reference.uuid, row.field_id, uuid]);
      if (value !== undefined) await executor.query(TOUCH_LOCKED, [reference.uuid]);
      await executor.query(DELETE_FILE, [uuid]);
    }, reference.uuid);
  }

  private present(form: PublishedForm, row: FileRow): FileResponse {
    const { code = '' } = form.fieldsById.get(row.field_id) ?? {};
    return presentFile(row, code, this.environment.clamdUrl !== undefined);
  }
}

/** The field that a file is announced for, or 422 where it takes none such. */
function fileFieldOf(form: PublishedForm, announced: CreateFileDto): PublishedField {
  const field = form.fieldsByCode.get(announced.field_code);
  if (field === undefined)
    throw invalid({
      field_code: [mistake('unknown_field', 'The form of this submission has no field with this code.')],
    });
  if (!field.isFileInput)
    throw invalid({
      field_code: [mistake('not_a_file_field', `The field ${field.code} does not take files.`)],
    });
  const errors: FieldErrors = {};
  if (announced.size > field.maxBytes)
    errors['size'] = [
      mistake('too_large', `The size must be at most ${field.maxBytes} bytes, but is ${announced.size}.`, {
        max: field.maxBytes,
        size: announced.size,
      }),
    ];
  // By what the client says: what the content says is found out when it is there.
  if (!isAnnouncedAsAccepted(field.accept, announced))
    errors['media_type'] = [typeMistake('media_type', field.accept)];
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return field;
}

function mistakesOfCount(
  counted: { readonly ofField: number; readonly pending: number; readonly bytes: number },
  { code }: PublishedField,
  size: number,
): FieldErrors | undefined {
  if (counted.ofField >= MAX_FILES_OF_FIELD) {
    const message = `The field ${code} has ${MAX_FILES_OF_FIELD} files already, which is the most it can have. Delete one first.`;
    return { field_code: [mistake('too_many_files', message, { max: MAX_FILES_OF_FIELD })] };
  }
  if (counted.pending >= MAX_PENDING) {
    const message = `The submission has ${MAX_PENDING} files that were not committed, which is the most it can have. Commit or delete one first.`;
    return { field_code: [mistake('too_many_pending', message, { max: MAX_PENDING })] };
  }
  if (counted.bytes + size > MAX_BYTES_OF_SUBMISSION) {
    const message = `The files of the submission must have at most ${MAX_BYTES_OF_SUBMISSION} bytes together. Delete one first.`;
    return { size: [mistake('too_many_bytes', message, { max: MAX_BYTES_OF_SUBMISSION })] };
  }
  return undefined;
}

function contentMistake(kept: Exclude<Kept, 'kept'>, { size, sha256 }: FileRow) {
  if (kept === 'not uploaded')
    return mistake('not_uploaded', 'The content was not uploaded: send it to the URL of the upload first.');
  return kept === 'wrong size' ? sizeMistake(size) : hashMistake(sha256);
}

export const sizeMistake = (size: number) =>
  mistake('size_mismatch', `The content must have the ${size} bytes that were announced.`, { size });

export const hashMistake = (sha256: string) =>
  mistake('hash_mismatch', 'The content must have the SHA-256 that was announced: upload it again.', {
    sha256,
  });

const typeMistake = (what: 'content' | 'media_type', accept: string | null) =>
  mistake('type_mismatch', `The ${what} must be one of what the field accepts: ${accept ?? ''}.`, {
    accept: accept ?? '',
  });

const unknownRecord = () => mistake('unknown_record', 'This submission has no entity record with this id.');
