import type { FieldErrors } from '../../http/problems.js';

/** What the `errors` of a 422 say, by what went wrong. */
export const pageMistakes = {
  outOfRange: {
    page: ['The page must be an integer from 1 to 2147483647.'],
    per_page: ['The per_page must be an integer from 1 to 100.'],
  },
} satisfies Record<string, FieldErrors>;

export const createMistakes = {
  missing: { form_uuid: ['The form_uuid is required.'] },
  unknownForm: { form_uuid: ['There is no form with this form_uuid.'] },
  inactiveForm: { form_uuid: ['The form is not active and takes no new submissions.'] },
} satisfies Record<string, FieldErrors>;

export const keyMistakes = {
  usedKey: { 'Idempotency-Key': ['The Idempotency-Key was used for another request.'] },
  badKey: { 'Idempotency-Key': ['The Idempotency-Key must have 1 to 255 printable ASCII characters.'] },
} satisfies Record<string, FieldErrors>;

export const patchMistakes = {
  wrongTypes: {
    status: ['The status must be draft or completed.'],
    meta: ['The meta must be an object or null.'],
  },
  incomplete: {
    email: ['The email must be an e-mail address.'],
    work_permit_number: ['The work_permit_number is required.'],
  },
  metaTooLarge: { meta: ['The meta must not be larger than 16384 bytes as JSON; it has 16395.'] },
} satisfies Record<string, FieldErrors>;

export const valuesMistakes = {
  wrongTypes: {
    'values.0.field_id': ['The field_id is required where no field_code is given.'],
    'values.1.value': ['The value must be a string.'],
    'values.2.value': ['The value is required; an empty string stands for no value.'],
  },
  unstorable: { 'values.0.value': ['The value contains the character U+0000.'] },
  tooMany: { values: ['The values must not have more than 500 entries.'] },
  unknownFields: {
    'values.0.field_id': ['The form of this submission has no field with this id.'],
    'values.1.field_code': ['The form of this submission has no field with this code.'],
  },
  displayOnly: {
    'values.0.field_code': ['The field documents_heading is for display only and holds no value.'],
  },
  foreignRecord: {
    'values.0.entity_record_id': ['This submission has no entity record with this id.'],
  },
} satisfies Record<string, FieldErrors>;

export const conditionsMistakes = {
  unknownShape: { shape: ['The shape must be map or list.'] },
  unknownExplain: { explain: ['The explain must be true or false.'] },
} satisfies Record<string, FieldErrors>;
