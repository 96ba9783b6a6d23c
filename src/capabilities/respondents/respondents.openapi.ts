import { FORM_ACCESSES, MAX_PROOF_OF_WORK, MIN_PROOF_OF_WORK } from '../../forms/entities/form.js';
import type { AddedProperties, OpenApiPart } from '../../server/capability.js';

const FORM: Omit<AddedProperties, 'schema'> = {
  after: 'completion',
  properties: {
    access: {
      ...{ type: 'string', enum: [...FORM_ACCESSES] },
      description: '`public`: respondents may begin submissions, too.',
    },
    proof_of_work: {
      ...{ type: ['integer', 'null'], minimum: MIN_PROOF_OF_WORK, maximum: MAX_PROOF_OF_WORK },
      description: 'The highest number to try to become a respondent. Null: no proof of work is needed.',
    },
  },
};

export const OPEN_API: OpenApiPart = {
  tags: [{ name: 'Respondents', description: 'Tokens for visitors of public forms, who have no account.' }],
  properties: [
    { schema: 'Form', ...FORM },
    { schema: 'FormSchema', ...FORM },
  ],
};
