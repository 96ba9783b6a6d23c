import { fileURLToPath } from 'node:url';
import { ComponentLoader } from 'adminjs';

export const componentLoader = new ComponentLoader();

const file = (name: string) => fileURLToPath(new URL(`components/${name}.tsx`, import.meta.url));

/** Components that AdminJS lacks. It bundles them for the browser when the panel starts. */
export const COMPONENTS = {
  Answers: componentLoader.add('Answers', file('answers')),
  AnswersTable: componentLoader.add('AnswersTable', file('answers-table')),
  Conditions: componentLoader.add('Conditions', file('conditions')),
  ConditionOperator: componentLoader.add('ConditionOperator', file('condition-operator')),
  ConditionOtherField: componentLoader.add('ConditionOtherField', file('condition-other-field')),
  ConditionValue: componentLoader.add('ConditionValue', file('condition-value')),
  Computed: componentLoader.add('Computed', file('computed')),
  CopyForm: componentLoader.add('CopyForm', file('publishing/copy-form')),
  Dashboard: componentLoader.add('FormsFirst', file('forms-first')),
  FieldType: componentLoader.add('FieldType', file('field-type')),
  FormOutline: componentLoader.add('FormOutline', file('form-outline')),
  Language: componentLoader.add('Language', file('language')),
  Held: componentLoader.add('Held', file('held')),
  IssueToken: componentLoader.add('IssueToken', file('issue-token')),
  Megabytes: componentLoader.add('Megabytes', file('megabytes')),
  MakeLive: componentLoader.add('MakeLive', file('publishing/make-live')),
  OfFieldTypes: componentLoader.add('OfFieldTypes', file('of-field-types')),
  OffsetDays: componentLoader.add('OffsetDays', file('offset-days')),
  OfSameForm: componentLoader.add('OfSameForm', file('of-same-form')),
  OptionsOfField: componentLoader.add('OptionsOfField', file('options-of-field')),
  ProposedName: componentLoader.add('ProposedName', file('proposed-name')),
  RadioChoice: componentLoader.add('RadioChoice', file('radio-choice')),
  Publish: componentLoader.add('Publish', file('publishing/publish')),
  Reference: componentLoader.add('Reference', file('reference')),
  Retire: componentLoader.add('Retire', file('retire')),
  RuleKind: componentLoader.add('RuleKind', file('rule-kind')),
  RuleOtherField: componentLoader.add('RuleOtherField', file('rule-other-field')),
  Rules: componentLoader.add('Rules', file('rules')),
  RuleValue: componentLoader.add('RuleValue', file('rule-value')),
  Share: componentLoader.add('Share', file('publishing/share')),
  ShownComputed: componentLoader.add('ShownComputed', file('shown-computed')),
  ShownConditions: componentLoader.add('ShownConditions', file('shown-conditions')),
  ShownLanguages: componentLoader.add('ShownLanguages', file('shown-languages')),
  ShownRules: componentLoader.add('ShownRules', file('shown-rules')),
  Time: componentLoader.add('Time', file('time')),
  TestedField: componentLoader.add('TestedField', file('tested-field')),
  Translations: componentLoader.add('Translations', file('translations/translations')),
};

componentLoader.override('ActionHeader', file('named-header'));
for (const where of ['Show', 'List'] as const)
  componentLoader.override(`DefaultDatetime${where}Property`, file('shown-time'));
componentLoader.override('DefaultNewAction', file('new-record'));
componentLoader.override('PropertyDescription', file('property-description'));
for (const route of ['ResourceRoute', 'RecordActionRoute'] as const)
  componentLoader.override(route, file('fresh-route'));
componentLoader.override('SidebarBranding', file('branding'));
