import { TIMESTAMP_SCHEMA } from '../../http/openapi/openapi.schemas.js';
import type { AddedProperties, OpenApiPart } from '../../server/capability.js';
import { AVAILABILITY_PROBLEMS } from './problems.js';

const TIME = { ...TIMESTAMP_SCHEMA, type: ['string', 'null'] };
const LIMIT = { type: ['integer', 'null'], minimum: 1, maximum: 2_147_483_647 };

const FORM: Omit<AddedProperties, 'schema'> = {
  after: 'proof_of_work',
  properties: {
    opens_at: { ...TIME, description: 'Submissions can be begun from this time. Null: always.' },
    closes_at: { ...TIME, description: 'No submission can be begun from this time. Null: never.' },
    closes_drafts: {
      type: 'boolean',
      description: 'True: from `closes_at`, drafts can only be read and deleted.',
    },
    max_submissions: { ...LIMIT, description: 'How many submissions can be completed.' },
    max_per_user: { ...LIMIT, description: 'How many submissions a user can complete.' },
  },
};

const { form_closed, already_answered, quota_reached } = AVAILABILITY_PROBLEMS;
const WRITES = [
  ...[
    'storeValues',
    'advanceSubmission',
    'retreatSubmission',
    'patchSubmission',
    'createRecord',
    'deleteRecord',
  ],
  ...['createFile', 'commitFile', 'deleteFile'],
];

export const OPEN_API: OpenApiPart = {
  properties: [
    { schema: 'Form', ...FORM },
    { schema: 'FormSchema', ...FORM },
    {
      ...{ schema: 'Option', after: 'is_exclusive' },
      properties: {
        places: {
          ...LIMIT,
          minimum: 0,
          description: 'How many completed submissions can hold it. Null: any number.',
        },
      },
    },
  ],
  problems: [
    { operations: WRITES, types: [form_closed] },
    { operations: ['patchSubmission'], types: [already_answered, quota_reached] },
  ],
};
