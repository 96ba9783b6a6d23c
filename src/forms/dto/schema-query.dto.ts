import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { IsIntegerUpTo } from '../../http/bodies/checks.js';
import { ID_SCHEMA } from '../../http/openapi/openapi.schemas.js';
import { IntegerParameter } from '../../http/pagination.js';

export class SchemaQuery {
  @ApiProperty({
    ...ID_SCHEMA,
    required: false,
    description:
      'By default the current version. Older versions are kept if a submission was completed in them.',
  })
  @IntegerParameter()
  @IsOptional()
  @IsIntegerUpTo(ID_SCHEMA.maximum)
  version?: number;
}
