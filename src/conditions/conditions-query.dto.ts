import { IsIn, IsOptional } from 'class-validator';
import { CONDITIONS_SHAPES, type ConditionsShape } from '../config/environment.js';

export class ConditionsQuery {
  @IsOptional()
  @IsIn(CONDITIONS_SHAPES, { message: 'The shape must be map or list.' })
  shape?: ConditionsShape;

  @IsOptional()
  @IsIn(['true', 'false'], { message: 'The explain must be true or false.' })
  explain?: 'true' | 'false';
}
