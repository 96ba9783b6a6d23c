import { ApiProperty } from '#swagger';
import { RECORD_ID, ResponseSchema, TIMESTAMP, UUID } from '../../http/openapi/openapi.schemas.js';
import { MAX_FILE_BYTES, MAX_NAME } from '../../forms/limits.js';
import { FILE_STATES, type FileState } from '../../submissions/entities/file.js';

@ResponseSchema('File')
export class FileResponse {
  @ApiProperty(UUID)
  readonly uuid!: string;

  @ApiProperty({ pattern: '^file:', description: 'What to store in the field once the file is stored.' })
  readonly value!: string;

  @ApiProperty()
  readonly field_code!: string;

  @ApiProperty({ ...RECORD_ID, nullable: true })
  readonly entity_record_id!: number | null;

  @ApiProperty({ minLength: 1, maxLength: MAX_NAME })
  readonly name!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_FILE_BYTES, description: 'In bytes.' })
  readonly size!: number;

  @ApiProperty({ description: 'As announced until the file is stored, then what the content is.' })
  readonly media_type!: string;

  @ApiProperty({ pattern: '^[0-9a-f]{64}$' })
  readonly sha256!: string;

  @ApiProperty({
    enum: FILE_STATES,
    description:
      '`pending` until it is committed, then `stored`, and where files are scanned `clean` or `infected` after a while.',
  })
  readonly state!: FileState;

  @ApiProperty({
    description:
      'Whether nothing is left to be done or to be waited for: it is committed and, where files are scanned, clean.',
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
      'Where the content goes. One that begins as the URL of this API needs your token as every request does; to any ' +
      'other send no token.',
  })
  readonly url!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'To be sent as they are.',
  })
  readonly headers!: Readonly<Record<string, string>>;

  @ApiProperty({
    ...TIMESTAMP,
    description: 'Until when an upload may begin. After that, begin another file.',
  })
  readonly expires_at!: string;
}

@ResponseSchema('FileWithUpload')
export class FileWithUploadResponse extends FileResponse {
  @ApiProperty()
  readonly upload!: UploadResponse;
}
