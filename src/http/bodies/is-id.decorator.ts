import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '#swagger';
import { RECORD_ID } from '../openapi/openapi.schemas.js';
import { Check } from './checks.js';
import { type Mistake, mistake } from '../errors/problems.js';

/** Whether a value is the id of a record: an integer that JavaScript and the column can hold (V10). */
export function IsRecordId(): PropertyDecorator {
  return applyDecorators(ApiProperty(RECORD_ID), IsIntegerUpTo(RECORD_ID.maximum));
}

/** Whether a value is an integer from 1 to `max`. */
export function IsIntegerUpTo(max: number): PropertyDecorator {
  return Check('isIntegerUpTo', (value, property) => integerMistake(value, property, max));
}

export function integerMistake(value: unknown, property: string, max: number): Mistake | undefined {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max) return undefined;
  return mistake('not_an_integer', `The ${property} must be an integer from 1 to ${max}.`, { min: 1, max });
}
