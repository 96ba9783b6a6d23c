import { ApiProperty } from '#swagger';
import { RECORD_ID, ResponseSchema, TIMESTAMP, UUID } from '../../http/openapi/openapi.schemas.js';
import { MAX_FILE_BYTES, MAX_NAME } from '../../forms/limits.js';
import { FILE_STATES, type FileState } from '../../submissions/entities/file.js';

@ResponseSchema('File')
export class FileResponse {
  @ApiProperty(UUID)
  readonly uuid!: string;

  @ApiProperty({
    pattern: '^file:',
    description: 'Store this as the value of the field after you commit the file.',
  })
  readonly value!: string;

  @ApiProperty()
  readonly field_code!: string;

  @ApiProperty({ ...RECORD_ID, nullable: true })
  readonly entity_record_id!: number | null;

  @ApiProperty({ minLength: 1, maxLength: MAX_NAME })
  readonly name!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: MAX_FILE_BYTES,
    description: 'The size of the content in bytes.',
  })
  readonly size!: number;

  @ApiProperty({
    description: 'The announced media type. The commit replaces it if the content proves another type.',
  })
  readonly media_type!: string;

  @ApiProperty({ pattern: '^[0-9a-f]{64}$' })
  readonly sha256!: string;

  @ApiProperty({
    enum: FILE_STATES,
    description:
      '`pending` until the file is committed, then `stored`. If files are scanned, `clean` or `infected` follows.',
  })
  readonly state!: FileState;

  @ApiProperty({
    description: 'Whether the file can be used: it is committed and, if files are scanned, clean.',
  })
  readonly is_ready!: boolean;

  @ApiProperty(TIMESTAMP)
  readonly created_at!: string;
}

@ResponseSchema('FileUpload')
export class UploadResponse {
  @ApiProperty({ enum: ['PUT'] })
  readonly method!: 'PUT';

  @ApiProperty({
    format: 'uri',
    description:
      'Send the content to this URL. If it is a URL of this API, send your token as with every request. Send no token ' +
      'to any other URL.',
  })
  readonly url!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Send these headers with the content, unchanged.',
  })
  readonly headers!: Readonly<Record<string, string>>;

  @ApiProperty({
    ...TIMESTAMP,
    description: 'The upload must begin before this time. If it is too late, announce the file again.',
  })
  readonly expires_at!: string;
}

@ResponseSchema('FileWithUpload')
export class FileWithUploadResponse extends FileResponse {
  @ApiProperty()
  readonly upload!: UploadResponse;
}
