import { ApiProperty } from '#swagger';
import { ResponseSchema } from '../openapi/openapi.schemas.js';
import { type FieldErrorCode, FIELD_ERRORS, type ProblemCode, PROBLEMS } from './problem-codes.js';
import { invalid, type FieldError } from './problems.js';

const INVALID = invalid({});
const FOR_PROGRAMS = 'Codes are never renamed, but there may be more of them one day.';

@ResponseSchema('Problem')
export class ProblemResponse {
  @ApiProperty({ description: 'One sentence for people; show it or log it, but do not compare it.' })
  readonly message!: string;
}

@ResponseSchema('InvalidRequest')
export class InvalidRequestResponse {
  @ApiProperty({ enum: [INVALID.message] })
  readonly message!: string;

  @ApiProperty({
    type: 'object',
    description: 'What is wrong, by the dotted path of the property, such as `values.0.field_id`.',
    minProperties: 1,
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors!: Readonly<Record<string, readonly string[]>>;
}

abstract class DetailsResponse {
  @ApiProperty({ format: 'uri', description: 'Where the code is explained.' })
  readonly type!: string;

  @ApiProperty({ description: 'What the code means, in a few words.' })
  readonly title!: string;

  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599, description: 'The status of the response.' })
  readonly status!: number;

  @ApiProperty({ description: 'One sentence for people; show it or log it, but do not compare it.' })
  readonly detail!: string;
}

@ResponseSchema('ProblemDetails')
export class ProblemDetailsResponse extends DetailsResponse {
  @ApiProperty({
    enum: Object.keys(PROBLEMS).filter((code) => code !== INVALID.code),
    description: `What went wrong. ${FOR_PROGRAMS}`,
  })
  readonly code!: ProblemCode;
}

@ResponseSchema('Mistake')
export class FieldErrorResponse {
  @ApiProperty({
    description:
      'The dotted path of the property, such as `values.0.field_id`, the name of the parameter or header, or the ' +
      'code of the field of the form.',
  })
  readonly field!: string;

  @ApiProperty({ enum: Object.keys(FIELD_ERRORS), description: `What is wrong with it. ${FOR_PROGRAMS}` })
  readonly code!: FieldErrorCode;

  @ApiProperty({ description: 'The same as a sentence for people; do not compare it.' })
  readonly detail!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'What a sentence of your own needs to say, such as `{ "max": 65535 }`; the code tells which there are.',
    example: { max: 65_535 },
  })
  readonly params!: FieldError['params'];
}

@ResponseSchema('InvalidRequestDetails')
export class InvalidRequestDetailsResponse extends DetailsResponse {
  @ApiProperty({ enum: [INVALID.code] })
  readonly code!: ProblemCode;

  @ApiProperty({ type: [FieldErrorResponse], minItems: 1 })
  readonly errors!: readonly FieldErrorResponse[];
}
