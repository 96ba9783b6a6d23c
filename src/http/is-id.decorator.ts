import { buildMessage, ValidateBy } from 'class-validator';

/** The largest `id` that a column can hold. */
export const MAX_ID = 2_147_483_647;

/** Whether a value is an id: an integer that fits the column (V10). One rule, because each costs time in every entry. */
export function IsId(): PropertyDecorator {
  return ValidateBy({
    name: 'isId',
    validator: {
      validate: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ID,
      defaultMessage: buildMessage(
        (_each, args) => `The ${args?.property} must be an integer from 1 to ${MAX_ID}.`,
      ),
    },
  });
}
