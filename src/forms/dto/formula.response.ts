import { ApiProperty } from '#swagger';
import { FORMULA_OPS, type FormulaOp, type FormulaOperand } from '../../conditions/engine/index.js';
import { refTo, ResponseSchema } from '../../http/openapi/openapi.schemas.js';
import { MAX_FORMULA_OPERANDS, MAX_FORMULA_SCALE, MAX_FORMULA_WITH } from '../limits.js';

@ResponseSchema('FormulaConstant')
export class FormulaConstantResponse {
  @ApiProperty({ description: 'A number, a date, `today`, or a text.' }) readonly value!: string;
}

@ResponseSchema('Formula')
export class FormulaResponse {
  @ApiProperty({ enum: FORMULA_OPS }) readonly op!: FormulaOp;

  @ApiProperty({
    ...{ type: 'array', minItems: 1, maxItems: MAX_FORMULA_OPERANDS },
    items: { oneOf: [{ type: 'string' }, refTo('FormulaConstant'), refTo('Formula')] },
    description: 'Codes of fields, constants and formulas.',
  })
  readonly of!: readonly FormulaOperand[];

  @ApiProperty({
    ...{ required: false, type: 'integer', minimum: 0, maximum: MAX_FORMULA_SCALE },
    description: 'The number of decimal places of `quotient`, `average` and `round`.',
  })
  readonly scale?: number;

  @ApiProperty({
    ...{ required: false, maxLength: MAX_FORMULA_WITH },
    description: 'The text between the texts of `join`.',
  })
  readonly with?: string;
}
