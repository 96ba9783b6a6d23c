import { FORM_DEFINITION } from './definition-schema.js';

/** Returns a small definition to edit: two steps, a required choice, and a field with a condition on it. */
export function newDefinition(slug: string): object {
  const words = slug.replaceAll('-', ' ');
  return {
    $schema: FORM_DEFINITION.$id,
    name: words.charAt(0).toUpperCase() + words.slice(1),
    slug,
    description: '',
    completion: 'strict',
    steps: [
      {
        step_number: 1,
        title: 'About you',
        fields: [
          {
            ...{ code: 'full_name', label: 'Full name', field_type: { name: 'text' } },
            ...{ is_required: true, is_personal: true },
          },
          {
            ...{ code: 'email', label: 'Email address', field_type: { name: 'email' } },
            ...{ is_required: true, is_personal: true },
          },
        ],
      },
      {
        step_number: 2,
        title: 'Your request',
        fields: [
          {
            code: 'topic',
            label: 'What is it about?',
            field_type: { name: 'radio' },
            is_required: true,
            options: [
              { label: 'A question', value: 'question' },
              { label: 'Something else', value: 'other' },
            ],
          },
          {
            code: 'other_topic',
            label: 'Which topic?',
            field_type: { name: 'text' },
            is_required: true,
            conditions: [
              { depends_on_field_code: 'topic', operator: 'equals', value: 'other', action: 'show' },
            ],
          },
          { code: 'message', label: 'Your message', field_type: { name: 'textarea' } },
        ],
      },
    ],
  };
}
