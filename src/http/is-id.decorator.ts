import { applyDecorators } from '@nestjs/common';
import { buildMessage, ValidateBy } from 'class-validator';
import { ApiProperty } from '#swagger';
import { ID } from '../docs/openapi.schemas.js';

/** Whether a value is an id: an integer that fits the column (V10). One rule, because each costs time in every entry. */
export function IsId(): PropertyDecorator {
  return applyDecorators(
    ApiProperty(ID),
    ValidateBy({
      name: 'isId',
      validator: {
        validate: (value) =>
          Number.isInteger(value) && (value as number) >= 1 && (value as number) <= ID.maximum,
        defaultMessage: buildMessage(
          (_each, args) => `The ${args?.property} must be an integer from 1 to ${ID.maximum}.`,
        ),
      },
    }),
  );
}
