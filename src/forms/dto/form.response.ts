import { ApiProperty } from '#swagger';
import { COMPLETION_POLICIES, type CompletionPolicy } from '../../config/environment.js';
import {
  ID_SCHEMA,
  POSITION_SCHEMA,
  ResponseSchema,
  TIMESTAMP_SCHEMA,
  UUID_SCHEMA,
} from '../../http/openapi/openapi.schemas.js';
import { PageResponse } from '../../http/pagination.js';
import type { FormExtension } from '../entities/form.js';
import { MAX_NAME, SLUG } from '../limits.js';

/** Properties that the form response and the schema response share. */
export abstract class FormText {
  @ApiProperty(UUID_SCHEMA) readonly uuid!: string;
  @ApiProperty({ minLength: 1, maxLength: MAX_NAME }) readonly name!: string;
  @ApiProperty({ pattern: SLUG, maxLength: MAX_NAME }) readonly slug!: string;
  @ApiProperty() readonly description!: string;
  @ApiProperty({ description: 'Whether it accepts new submissions.' }) readonly is_active!: boolean;
  @ApiProperty({ ...POSITION_SCHEMA, description: 'Increases with each change.' }) readonly version!: number;

  @ApiProperty({
    ...{ type: 'string', nullable: true, enum: [...COMPLETION_POLICIES, null] },
    description: '`strict`: completion checks the values. Null: the policy of the deployment applies.',
  })
  readonly completion!: CompletionPolicy | null;
}

@ResponseSchema('Form')
export class FormResponse extends FormText {
  @ApiProperty(ID_SCHEMA) readonly id!: number;
  @ApiProperty(TIMESTAMP_SCHEMA) readonly created_at!: string;
  @ApiProperty(TIMESTAMP_SCHEMA) readonly updated_at!: string;
}

/** A form with the columns that only capabilities read. The capabilities describe them. */
export type ExtendedForm = FormResponse & FormExtension;

@ResponseSchema('FormPage')
export class FormPageResponse extends PageResponse<ExtendedForm> {
  @ApiProperty({ type: [FormResponse] }) readonly data!: readonly ExtendedForm[];
}
