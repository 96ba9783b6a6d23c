import type { AddedProperties, OpenApiPart } from '../../server/capability.js';

const TAG = { type: 'string', minLength: 2, maxLength: 35 } as const;

const FORM: Omit<AddedProperties, 'schema'> = {
  after: 'max_per_user',
  properties: {
    locale: {
      ...TAG,
      type: ['string', 'null'],
      description: 'The language of the texts, a BCP 47 tag. Null: the form does not say its language.',
    },
    locales: {
      type: 'array',
      items: TAG,
      description: 'The languages of the form: its own first, then the others by letter.',
    },
  },
};

export const OPEN_API: OpenApiPart = {
  properties: [
    { schema: 'Form', ...FORM },
    { schema: 'FormSchema', ...FORM },
  ],
};
