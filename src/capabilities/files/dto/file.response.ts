import { ApiProperty } from '#swagger';
import {
  RECORD_ID_SCHEMA,
  ResponseSchema,
  TIMESTAMP_SCHEMA,
  UUID_SCHEMA,
} from '../../../http/openapi/openapi.schemas.js';
import { MAX_FILE_BYTES, MAX_NAME } from '../../../forms/limits.js';
import { FILE_STATES, type FileState } from '../entities/file.js';

@ResponseSchema('File')
export class FileResponse {
  @ApiProperty(UUID_SCHEMA) readonly uuid!: string;
  @ApiProperty({ pattern: '^file:', description: 'The value of the field.' }) readonly value!: string;
  @ApiProperty() readonly field_code!: string;
  @ApiProperty({ ...RECORD_ID_SCHEMA, nullable: true }) readonly entity_record_id!: number | null;
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME }) readonly name!: string;
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_FILE_BYTES }) readonly size!: number;
  @ApiProperty() readonly media_type!: string;
  @ApiProperty({ pattern: '^[0-9a-f]{64}$' }) readonly sha256!: string;
  @ApiProperty({ enum: FILE_STATES }) readonly state!: FileState;
  @ApiProperty({ description: 'Whether it is committed and, if files are scanned, clean.' })
  readonly is_ready!: boolean;
  @ApiProperty(TIMESTAMP_SCHEMA) readonly created_at!: string;
}

@ResponseSchema('FileUpload')
export class UploadResponse {
  @ApiProperty({ enum: ['PUT'] }) readonly method!: 'PUT';

  @ApiProperty({ format: 'uri', description: 'Send your token only if it is a URL of this API.' })
  readonly url!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Send these headers with the content, unchanged.',
  })
  readonly headers!: Readonly<Record<string, string>>;

  @ApiProperty({ ...TIMESTAMP_SCHEMA, description: 'The upload must begin before this time.' })
  readonly expires_at!: string;
}

@ResponseSchema('FileWithUpload')
export class FileWithUploadResponse extends FileResponse {
  @ApiProperty() readonly upload!: UploadResponse;
}
