import { fileURLToPath } from 'node:url';
import { ComponentLoader } from 'adminjs';

export const componentLoader = new ComponentLoader();

const file = (name: string) => fileURLToPath(new URL(`components/${name}.tsx`, import.meta.url));

/** Components that AdminJS lacks. It bundles them for the browser when the panel starts. */
export const COMPONENTS = {
  Answers: componentLoader.add('Answers', file('answers')),
  AnswersTable: componentLoader.add('AnswersTable', file('answers-table')),
  Conditions: componentLoader.add('Conditions', file('conditions')),
  ConditionValue: componentLoader.add('ConditionValue', file('condition-value')),
  Dashboard: componentLoader.add('FormsFirst', file('forms-first')),
  FormOutline: componentLoader.add('FormOutline', file('form-outline')),
  IssueToken: componentLoader.add('IssueToken', file('issue-token')),
  OfFieldTypes: componentLoader.add('OfFieldTypes', file('of-field-types')),
  OfSameForm: componentLoader.add('OfSameForm', file('of-same-form')),
  ProposedName: componentLoader.add('ProposedName', file('proposed-name')),
  Retire: componentLoader.add('Retire', file('retire')),
  Rows: componentLoader.add('Rows', file('rows')),
  ShownConditions: componentLoader.add('ShownConditions', file('shown-conditions')),
  Time: componentLoader.add('Time', file('time')),
  TestedField: componentLoader.add('TestedField', file('tested-field')),
};

componentLoader.override('ActionHeader', file('named-header'));
componentLoader.override('DefaultDatetimeListProperty', file('time-in-list'));
componentLoader.override('DefaultDatetimeShowProperty', file('shown-time'));
componentLoader.override('DefaultNewAction', file('new-record'));
componentLoader.override('PropertyDescription', file('property-description'));
componentLoader.override('SidebarBranding', file('branding'));
