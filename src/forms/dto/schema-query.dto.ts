import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { IsIntegerUpTo } from '../../http/bodies/checks.js';
import { ID } from '../../http/openapi/openapi.schemas.js';
import { IntegerParameter } from '../../http/pagination.js';

export class SchemaQuery {
  @ApiProperty({
    ...ID,
    required: false,
    description:
      'Returns the schema of this version. Only versions in which a submission was completed are kept. Any other gets 404.',
  })
  @IntegerParameter()
  @IsOptional()
  @IsIntegerUpTo(ID.maximum)
  version?: number;
}
