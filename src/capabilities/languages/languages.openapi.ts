import { headerRefs } from '../../http/openapi/openapi.headers.js';
import type { AddedProperties, OpenApiPart } from '../../server/capability.js';
import { MAX_TAG } from '../../forms/language-tag.js';

const TAG = {
  type: 'string',
  minLength: 2,
  maxLength: MAX_TAG,
  pattern: '^[A-Za-z\\d]+(-[A-Za-z\\d]+)*$',
} as const;
const TAG_OR_NULL = { ...TAG, type: ['string', 'null'] } as const;

const FORM: Omit<AddedProperties, 'schema'> = {
  after: 'max_per_user',
  properties: {
    locale: {
      ...TAG_OR_NULL,
      description: 'The language of the texts, a BCP 47 tag. Null: the form does not say its language.',
    },
    locales: {
      type: 'array',
      items: TAG,
      description: 'The languages of the form: its own first, then the others by letter.',
    },
  },
};

const SUBMISSION: Omit<AddedProperties, 'schema'> = {
  after: 'completed_version',
  properties: { locale: { ...TAG_OR_NULL, description: 'The language in which the person fills it in.' } },
};

const LOCALE = {
  name: 'locale',
  in: 'query' as const,
  description:
    'Shows texts in this language, such as `de-AT`. A text that is not translated into it is shown in `de`, or else as the form has it.',
  schema: TAG,
};

const READS = ['getForm', 'getFormBySlug', 'getFormSchema'];

export const OPEN_API: OpenApiPart = {
  headers: {
    ContentLanguage: {
      description: 'The `locale` of the body, unless it is null.',
      schema: TAG,
    },
  },
  parameters: [
    { operations: ['listForms'], parameters: [LOCALE] },
    {
      operations: READS,
      parameters: [LOCALE],
      headers: headerRefs({ 'Content-Language': 'ContentLanguage' }),
    },
  ],
  properties: [
    { schema: 'Form', ...FORM },
    { schema: 'FormSchema', ...FORM },
    ...['ShownSubmission', 'SubmissionWithValues', 'ListedSubmission'].map((schema) => ({
      schema,
      ...SUBMISSION,
    })),
    {
      ...{ schema: 'NewSubmission', after: 'form_uuid', isOptional: true },
      properties: {
        locale: {
          ...TAG_OR_NULL,
          description: 'The language in which the person fills it in. The form need not have it.',
        },
      },
    },
    {
      ...{ schema: 'SubmissionChange', after: 'meta', isOptional: true },
      properties: { locale: { ...TAG_OR_NULL, description: 'Null clears it.' } },
    },
  ],
};
