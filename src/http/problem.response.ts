import { ApiProperty } from '#swagger';
import { ResponseSchema } from '../docs/openapi.schemas.js';
import { type FieldErrors, invalid } from './problems.js';

@ResponseSchema('Problem')
export class ProblemResponse {
  @ApiProperty({ description: 'One sentence for people; show it or log it, but do not compare it.' })
  readonly message!: string;
}

@ResponseSchema('InvalidRequest')
export class InvalidRequestResponse {
  @ApiProperty({ enum: [invalid({}).message] })
  readonly message!: string;

  @ApiProperty({
    type: 'object',
    description: 'What is wrong, by the dotted path of the property, such as `values.0.field_id`.',
    minProperties: 1,
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors!: FieldErrors;
}
