import { ApiParam } from '#swagger';
import { UUID_SCHEMA } from '../http/openapi/openapi.schemas.js';
import { form } from './forms.examples.js';

/** For routes that name a form in their path. */
export const ApiFormUuid = () =>
  ApiParam({
    name: 'uuid',
    description: 'The `uuid` of a form.',
    schema: { ...UUID_SCHEMA, example: form.uuid },
  });
