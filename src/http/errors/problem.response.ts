import { ApiProperty } from '#swagger';
import { ResponseSchema } from '../openapi/openapi.schemas.js';
import { type FieldErrorCode, FIELD_ERRORS, type ProblemCode, PROBLEMS } from './problem-codes.js';
import { invalid, type FieldError } from './problems.js';

const INVALID = invalid({});
const FOR_PROGRAMS = 'Codes are never renamed, but new ones may be added.';

@ResponseSchema('Problem')
export class ProblemResponse {
  @ApiProperty({ description: 'A sentence for people. Show it or log it, but do not compare it.' })
  readonly message!: string;
}

@ResponseSchema('InvalidRequest')
export class InvalidRequestResponse {
  @ApiProperty({ enum: [INVALID.message] })
  readonly message!: string;

  @ApiProperty({
    type: 'object',
    description: 'Messages by the dotted path of the property, such as `values.0.field_id`.',
    minProperties: 1,
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors!: Readonly<Record<string, readonly string[]>>;
}

abstract class DetailsResponse {
  @ApiProperty({ format: 'uri', description: 'Link to the documentation of the code.' })
  readonly type!: string;

  @ApiProperty({ description: 'What the code means, in a few words.' })
  readonly title!: string;

  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599, description: 'The status of the response.' })
  readonly status!: number;

  @ApiProperty({ description: 'A sentence for people. Show it or log it, but do not compare it.' })
  readonly detail!: string;
}

@ResponseSchema('ProblemDetails')
export class ProblemDetailsResponse extends DetailsResponse {
  @ApiProperty({
    enum: Object.keys(PROBLEMS).filter((code) => code !== INVALID.code),
    description: `The code of the problem. ${FOR_PROGRAMS}`,
  })
  readonly code!: ProblemCode;
}

@ResponseSchema('Mistake')
export class FieldErrorResponse {
  @ApiProperty({
    description:
      'The dotted path of the property, such as `values.0.field_id`, the name of the parameter or header, or the ' +
      'code of the form field.',
  })
  readonly field!: string;

  @ApiProperty({ enum: Object.keys(FIELD_ERRORS), description: `The code of the error. ${FOR_PROGRAMS}` })
  readonly code!: FieldErrorCode;

  @ApiProperty({ description: 'The error as a sentence for people. Do not compare it.' })
  readonly detail!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Values for error messages of your own, such as `{ "max": 65535 }`. The code determines their names.',
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
