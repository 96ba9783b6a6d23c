import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '#swagger';
import { ID } from '../docs/openapi.schemas.js';
import { Judged } from './otherwise.js';
import { mistake } from './problems.js';

/** Whether a value is an id: an integer that fits the column (V10). One rule, because each costs time in every entry. */
export function IsId(): PropertyDecorator {
  return applyDecorators(
    ApiProperty(ID),
    Judged('isId', (value, property) => (isId(value) ? undefined : notAnId(property))),
  );
}

const isId = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= ID.maximum;

const notAnId = (property: string) =>
  mistake('not_an_integer', `The ${property} must be an integer from 1 to ${ID.maximum}.`, {
    min: ID.minimum,
    max: ID.maximum,
  });
