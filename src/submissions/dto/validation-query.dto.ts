import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { ID_SCHEMA } from '../../http/openapi/openapi.schemas.js';
import { Check } from '../../http/bodies/checks.js';
import { IntegerParameter } from '../../http/pagination.js';
import { fieldError } from '../../http/errors/problems.js';

export const unknownStepError = () =>
  fieldError('unknown_step', 'The step must be the step_number of a step of the form.');

/** Whether a form could have a step with this number. */
const isStepNumber = (value: unknown) =>
  Number.isInteger(value) && Number(value) >= ID_SCHEMA.minimum && Number(value) <= ID_SCHEMA.maximum;

export class ValidationQuery {
  @ApiProperty({ ...ID_SCHEMA, required: false, description: 'Checks only the fields of this step.' })
  @IntegerParameter()
  @IsOptional()
  @Check('isStepNumber', (value) => (isStepNumber(value) ? undefined : unknownStepError()))
  step?: number;
}
