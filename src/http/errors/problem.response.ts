import { ApiProperty } from '#swagger';
import { ResponseSchema } from '../openapi/openapi.schemas.js';
import { invalidDataProblem, type FieldError } from './problems.js';

const INVALID = invalidDataProblem({});
/** The document lists the codes of all capabilities: see `server/openapi-document.ts`. */
const CODE = { type: 'string' as const, description: 'Codes are never renamed, but new ones may be added.' };

const SENTENCE = { description: 'A sentence for people. Do not compare it.' };

@ResponseSchema('Problem')
export class ProblemResponse {
  @ApiProperty(SENTENCE) readonly message!: string;
}

@ResponseSchema('InvalidRequest')
export class InvalidRequestResponse {
  @ApiProperty({ enum: [INVALID.message] }) readonly message!: string;

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
  @ApiProperty() readonly title!: string;
  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599 }) readonly status!: number;
  @ApiProperty(SENTENCE) readonly detail!: string;
}

@ResponseSchema('ProblemDetails')
export class ProblemDetailsResponse extends DetailsResponse {
  @ApiProperty(CODE) readonly code!: string;
}

@ResponseSchema('Mistake')
export class FieldErrorResponse {
  @ApiProperty({
    description: 'Dotted path of the property, parameter or header, or code of the form field.',
  })
  readonly field!: string;

  @ApiProperty(CODE) readonly code!: string;
  @ApiProperty(SENTENCE) readonly detail!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Values for error messages of your own. The code determines their names.',
  })
  readonly params!: FieldError['params'];
}

@ResponseSchema('InvalidRequestDetails')
export class InvalidRequestDetailsResponse extends DetailsResponse {
  @ApiProperty({ enum: [INVALID.code] }) readonly code!: string;
  @ApiProperty({ type: [FieldErrorResponse], minItems: 1 }) readonly errors!: readonly FieldErrorResponse[];
}
