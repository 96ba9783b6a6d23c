import { Buffer } from 'node:buffer';
import { compileRules, itemsOf } from '../../dist/src/conditions/engine/index.js';
import { presentStates } from '../../dist/src/conditions/states/conditions.presenter.js';

/**
 * @callback Prepare does the work that an engine can do once per form
 * @returns {Evaluate}
 *
 * @callback Evaluate returns whether each field is visible and required, given a stored value for each field
 */

/** Returns a condition as a JsonLogic rule, which Form.io accepts too. */
function jsonLogicRule({ dependsOnFieldId, operator, value }, prefix = '') {
  const stored = { var: `${prefix}field_${dependsOnFieldId}` };
  switch (operator) {
    case 'equals':
      return { '===': [stored, value] };
    case 'not_equals':
      return { '!==': [stored, value] };
    case 'greater_than':
      return { '>': [stored, Number(value)] };
    case 'less_than':
      return { '<': [stored, Number(value)] };
    case 'in':
      return { in: [stored, itemsOf(value)] };
  }
}

/**
 * Returns values by field code. Converts the texts of number fields, because the
 * libraries do not compare texts as numbers.
 */
function byCode(fields, values) {
  return Object.fromEntries(
    values.map(([, , value], index) => {
      const { code, isNumber } = fields[index];
      return [code, isNumber ? Number(value) : value];
    }),
  );
}

/** Returns the state of a field with at most one condition. `isMet` says whether the condition is met. */
function stateOf({ conditions: [condition] }, isMet) {
  const visible =
    condition === undefined || condition.action === 'require' || isMet === (condition.action === 'show');
  return { visible, required: visible && condition?.action === 'require' && isMet };
}

const formtrail = (fields) => {
  const rules = compileRules(fields);
  return (values) => rules.resolveStates(values);
};

const formtrailJson = (fields) => {
  const evaluate = formtrail(fields);
  return (values) => {
    const json = presentStates('map', fields, evaluate(values));
    // Read the string, because V8 concatenates the parts of a string only when the string is read.
    Buffer.byteLength(json);
    return json;
  };
};

const jsonLogic = async (fields) => {
  const { default: library } = await import('json-logic-js');
  const rules = fields.map(({ conditions: [condition] }) => condition && jsonLogicRule(condition));
  return (values) => {
    const facts = byCode(fields, values);
    return fields.map((field, index) => stateOf(field, rules[index] && library.apply(rules[index], facts)));
  };
};

const jsonRulesEngine = async (fields) => {
  const { default: library } = await import('json-rules-engine');
  const operators = {
    equals: 'equal',
    not_equals: 'notEqual',
    greater_than: 'greaterThan',
    less_than: 'lessThan',
    in: 'in',
  };
  const engine = new library.Engine();
  for (const [index, { conditions }] of fields.entries()) {
    for (const { dependsOnFieldId, operator, value } of conditions) {
      const wanted = operator === 'in' ? itemsOf(value) : operator.endsWith('than') ? Number(value) : value;
      const condition = { fact: `field_${dependsOnFieldId}`, operator: operators[operator], value: wanted };
      engine.addRule({ conditions: { all: [condition] }, event: { type: 'met', params: { index } } });
    }
  }
  return async (values) => {
    const { events } = await engine.run(byCode(fields, values));
    const met = new Set(events.map(({ params }) => params.index));
    return fields.map((field, index) => stateOf(field, met.has(index)));
  };
};

const surveyJs = async (fields) => {
  const { Model } = await import('survey-core');
  const signs = { equals: '=', not_equals: '<>', greater_than: '>', less_than: '<', in: 'anyof' };
  const expression = ({ dependsOnFieldId, operator, value }) => {
    const wanted =
      operator === 'in'
        ? `['${itemsOf(value).join("','")}']`
        : operator.endsWith('than')
          ? value
          : `'${value}'`;
    return `{field_${dependsOnFieldId}} ${signs[operator]} ${wanted}`;
  };
  const elements = fields.map(({ code, conditions: [condition] }) => {
    const question = { type: 'text', name: code };
    if (condition?.action === 'show') question.visibleIf = expression(condition);
    if (condition?.action === 'hide') question.visibleIf = `!(${expression(condition)})`;
    if (condition?.action === 'require') question.requiredIf = expression(condition);
    return question;
  });
  const survey = new Model({ clearInvisibleValues: 'none', elements });
  const questions = survey.getAllQuestions();
  return (values) => {
    survey.data = byCode(fields, values);
    return questions.map(({ isVisible, isRequired }) => ({
      visible: isVisible,
      required: isVisible && isRequired,
    }));
  };
};

const formIo = async (fields) => {
  const { processSync, conditionProcessInfo, logicProcessInfo } = await import('@formio/core');
  const components = fields.map(({ code, conditions: [condition] }) => {
    const component = { type: 'textfield', key: code, input: true, clearOnHide: false };
    if (condition === undefined) return component;
    const json = jsonLogicRule(condition, 'data.');
    if (condition.action === 'show') return { ...component, conditional: { json } };
    if (condition.action === 'hide') return { ...component, conditional: { json: { '!': json } } };
    const property = { value: 'validate.required', type: 'boolean' };
    const actions = [{ name: 'require', type: 'property', property, state: true }];
    const logic = [{ name: 'require', trigger: { type: 'json', json }, actions }];
    return { ...component, validate: { required: false }, logic };
  });
  return (values) => {
    const scope = {};
    // Form.io does not reset a property that a rule has set, so reset it before each evaluation.
    for (const { validate } of components) if (validate !== undefined) validate.required = false;
    const processors = [conditionProcessInfo, logicProcessInfo];
    processSync({ components, data: byCode(fields, values), scope, processors });
    const hidden = new Set(
      scope.conditionals.filter((one) => one.conditionallyHidden).map((one) => one.path),
    );
    return components.map(({ key, validate }) => {
      const visible = !hidden.has(key);
      return { visible, required: visible && validate?.required === true };
    });
  };
};

/** @type {Record<string, Prepare>} */
export const ENGINES = {
  formtrail,
  'formtrail, with its JSON': formtrailJson,
  'json-logic-js': jsonLogic,
  'json-rules-engine': jsonRulesEngine,
  'survey-core': surveyJs,
  '@formio/core': formIo,
};
