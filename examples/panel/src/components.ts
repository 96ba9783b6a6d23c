import { fileURLToPath } from 'node:url';
import { ComponentLoader } from 'adminjs';

export const componentLoader = new ComponentLoader();

const file = (name: string) => fileURLToPath(new URL(`components/${name}.tsx`, import.meta.url));

/** Components that AdminJS lacks. It bundles them for the browser when the panel starts. */
export const COMPONENTS = {
  Answers: componentLoader.add('Answers', file('answers')),
  Dashboard: componentLoader.add('FormsFirst', file('forms-first')),
  FormOutline: componentLoader.add('FormOutline', file('form-outline')),
  IssueToken: componentLoader.add('IssueToken', file('issue-token')),
  OfSameForm: componentLoader.add('OfSameForm', file('of-same-form')),
  Retire: componentLoader.add('Retire', file('retire')),
  Rows: componentLoader.add('Rows', file('rows')),
};

componentLoader.override('PropertyDescription', file('property-description'));
