import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '#swagger';
import { ID, RECORD_ID } from '../docs/openapi.schemas.js';
import { Judged } from './otherwise.js';
import { mistake } from './problems.js';

/** Whether a value is an id: an integer that fits the column (V10). */
export function IsId(): PropertyDecorator {
  return applyDecorators(ApiProperty(ID), IsIntegerUpTo(ID.maximum));
}

/** The same of a record. */
export function IsRecordId(): PropertyDecorator {
  return applyDecorators(ApiProperty(RECORD_ID), IsIntegerUpTo(RECORD_ID.maximum));
}

/** Whether a value is an integer from 1 to `max`. One rule, because each costs time in every entry. */
export function IsIntegerUpTo(max: number): PropertyDecorator {
  return Judged('isIntegerUpTo', (value, property) => {
    if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max) return undefined;
    return mistake('not_an_integer', `The ${property} must be an integer from 1 to ${max}.`, { min: 1, max });
  });
}
