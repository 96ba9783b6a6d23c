import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '#swagger';
import { FREE_OBJECT } from '../../http/openapi/openapi.schemas.js';
import { Check } from '../../http/bodies/checks.js';
import { type Mistake, mistake } from '../../http/errors/problems.js';
import { unstorableJson } from '../../http/bodies/storable-text.js';

const MAX_META_BYTES = 16 * 1024;

/** Whether `meta` is an object that can be stored as given (V9, V10). */
export function IsMeta(): PropertyDecorator {
  return applyDecorators(ApiProperty(FREE_OBJECT), Check('isMeta', metaMistake));
}

function metaMistake(value: unknown): Mistake | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return mistake('not_an_object', 'The meta must be an object or null.');
  }
  const size = Buffer.byteLength(JSON.stringify(value));
  if (size > MAX_META_BYTES) {
    const message = `The meta must not be larger than ${MAX_META_BYTES} bytes as JSON; it has ${size}.`;
    return mistake('too_large', message, { max: MAX_META_BYTES, size });
  }
  const found = unstorableJson(value);
  return found && mistake(found.code, `The meta ${found.why}.`);
}
