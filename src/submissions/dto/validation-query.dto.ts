import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { ID } from '../../http/openapi/openapi.schemas.js';
import { Check } from '../../http/bodies/checks.js';
import { IntegerParameter } from '../../http/pagination.js';
import { fieldError } from '../../http/errors/problems.js';

export const unknownStep = () =>
  fieldError('unknown_step', 'The step must be the step_number of a step of the form.');

/** What the step of some form could be. */
const isStepNumber = (value: unknown) =>
  Number.isInteger(value) && Number(value) >= ID.minimum && Number(value) <= ID.maximum;

export class ValidationQuery {
  @ApiProperty({
    ...ID,
    required: false,
    description: 'The `step_number` of a step, whose fields alone are looked at. Without it all are.',
  })
  @IntegerParameter()
  @IsOptional()
  @Check('isStepNumber', (value) => (isStepNumber(value) ? undefined : unknownStep()))
  step?: number;
}
