import { applyDecorators } from '@nestjs/common';
import { buildMessage, ValidateBy } from 'class-validator';
import { ApiProperty } from '#swagger';
import { FREE_OBJECT } from '../../docs/openapi.schemas.js';
import { unstorableJson } from '../../http/storable-text.js';

const MAX_META_BYTES = 16 * 1024;

/** Whether `meta` is an object that can be stored as given (V9, V10). */
export function IsMeta(): PropertyDecorator {
  return applyDecorators(
    ApiProperty(FREE_OBJECT),
    ValidateBy({
      name: 'isMeta',
      validator: {
        validate: (value) => metaMistake(value) === undefined,
        defaultMessage: buildMessage((_each, args) => metaMistake(args?.value) ?? ''),
      },
    }),
  );
}

function metaMistake(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'The meta must be an object or null.';
  }
  const size = Buffer.byteLength(JSON.stringify(value));
  if (size > MAX_META_BYTES) {
    return `The meta must not be larger than ${MAX_META_BYTES} bytes as JSON; it has ${size}.`;
  }
  const why = unstorableJson(value);
  return why === undefined ? undefined : `The meta ${why}.`;
}
