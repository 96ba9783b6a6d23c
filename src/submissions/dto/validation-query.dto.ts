import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { ApiProperty } from '#swagger';
import { ID } from '../../docs/openapi.schemas.js';
import { IntegerParameter } from '../../http/pagination.js';

export const UNKNOWN_STEP = 'The step must be the step_number of a step of the form.';

export class ValidationQuery {
  @ApiProperty({
    ...ID,
    required: false,
    description: 'The `step_number` of a step, whose fields alone are looked at. Without it all are.',
  })
  @IntegerParameter()
  @IsOptional()
  @IsInt({ message: UNKNOWN_STEP })
  @Min(ID.minimum, { message: UNKNOWN_STEP })
  @Max(ID.maximum, { message: UNKNOWN_STEP })
  step?: number;
}
