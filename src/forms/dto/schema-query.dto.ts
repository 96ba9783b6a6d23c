import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { IsIntegerUpTo } from '../../http/bodies/checks.js';
import { ID_SCHEMA } from '../../http/openapi/openapi.schemas.js';
import { IntegerParameter } from '../../http/pagination.js';

export class SchemaQuery {
  @ApiProperty({
    ...ID_SCHEMA,
    required: false,
    description: 'Only versions of completed submissions are kept.',
  })
  @IntegerParameter()
  @IsOptional()
  @IsIntegerUpTo(ID_SCHEMA.maximum)
  version?: number;
}
