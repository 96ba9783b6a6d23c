import { ACTIONS, OPERATORS } from '../../conditions/rules/index.js';
import type { DefinedCondition, DefinedField, DefinedStep, FormDefinition } from './form-definition.js';
import { ObjectReader, type Report, shown, type TextRules } from './object-reader.js';

/** What a definition is checked against beside itself. */
export interface KnownNames {
  /** The component of each field type, by name; a type that a definition adds is added here. */
  readonly components: Map<string, string>;
  /** The component of a type that is not among them, where the definition does not give it either; none: a mistake. */
  readonly otherComponent?: string;
  /** The codes that the form has in the database already. */
  readonly codes: Pick<ReadonlySet<string>, 'has'>;
}

const MAX_NAME = 255;
const NAME: TextRules = { min: 1, max: MAX_NAME };
/** F5. */
const SLUG_FORM = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const UUID: TextRules = {
  form: { matches: (text) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text), name: 'a UUID' },
};
const CODE_FORM = /^[a-z][a-z0-9_]*$/;

export function isSlug(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME && SLUG_FORM.test(value);
}

/**
 * Reads a definition and reports every mistake in it. What is returned is complete, with the defaults of what was
 * left out; it is of use only where nothing was reported.
 *
 * No stricter than the tables, so that whatever they hold can be exported and imported again, but for the codes of
 * fields that are new to the form: these must be snake_case.
 */
export function checkDefinition(source: unknown, names: KnownNames, report: Report): FormDefinition {
  return new DefinitionCheck(names, report).definition(source);
}

class DefinitionCheck {
  private readonly entityNames = new Map<string, string>();
  private readonly stepNumbers = new Map<string, string>();
  private readonly codes = new Map<string, string>();
  /** Known once every field was read. */
  private readonly testedCodes: { path: string; code: string }[] = [];

  constructor(
    private readonly names: KnownNames,
    private readonly report: Report,
  ) {}

  definition(source: unknown): FormDefinition {
    const form = new ObjectReader(source, '', this.report);
    const uuid = form.textOrNull('uuid', UUID);
    const definition = {
      ...(uuid !== null && { uuid: uuid.toLowerCase() }),
      name: form.text('name', NAME),
      slug: form.text('slug', {
        form: {
          matches: isSlug,
          name: `lower-case letters and digits with single hyphens, up to ${MAX_NAME}`,
        },
      }),
      description: form.text('description', { fallback: '' }),
      is_active: form.boolean('is_active', true),
      entities: form.list('entities', (entity) => this.entity(entity), []),
      steps: form.list('steps', (step) => this.step(step)),
    };
    form.end(['id', 'version', 'created_at', 'updated_at']);
    for (const { path, code } of this.testedCodes) {
      if (!this.codes.has(code))
        this.report(path, `must be the code of a field of this form, but is ${shown(code)}`);
    }
    return definition;
  }

  private entity(entity: ObjectReader) {
    const definition = {
      name: entity.text('name', { ...NAME, distinct: this.entityNames }),
      label: entity.text('label'),
      is_repeatable: entity.boolean('is_repeatable', false),
    };
    entity.end(['id']);
    return definition;
  }

  private step(step: ObjectReader): DefinedStep {
    const definition = {
      step_number: step.integer('step_number', { min: 1, distinct: this.stepNumbers }),
      title: step.text('title', { max: MAX_NAME }),
      description: step.text('description', { fallback: '' }),
      is_visible: step.boolean('is_visible', true),
      meta: step.jsonObjectOrNull('meta'),
      fields: step.list('fields', (field, position) => this.field(field, position)),
    };
    step.end(['id']);
    return definition;
  }

  private field(field: ObjectReader, position: number): DefinedField {
    const values = new Map<string, string>();
    const definition = {
      code: this.code(field),
      label: field.text('label'),
      placeholder: field.textOrNull('placeholder'),
      description: field.textOrNull('description'),
      is_required: field.boolean('is_required', false),
      is_repeatable: field.boolean('is_repeatable', false),
      default_value: field.textOrNull('default_value'),
      order: field.integer('order', { fallback: position }),
      field_type: this.fieldType(field.object('field_type')),
      ...this.entityOf(field),
      options: field.list('options', (option, place) => readOption(option, place, values), []),
      conditions: field.list('conditions', (condition) => this.condition(condition), []),
    };
    field.end(['id']);
    return definition;
  }

  private code(field: ObjectReader): string {
    const code = field.text('code', {
      form: {
        matches: (code) => this.names.codes.has(code) || (code.length <= MAX_NAME && CODE_FORM.test(code)),
        name: `snake_case: a lower-case letter, then such letters, digits and underscores, up to ${MAX_NAME}`,
      },
      distinct: this.codes,
    });
    // A condition that names a code which is badly formed is not a second mistake.
    if (!this.codes.has(code)) this.codes.set(code, field.pathOf('code'));
    return code;
  }

  private fieldType(type: ObjectReader) {
    const { components, otherComponent } = this.names;
    const name = type.text('name', NAME);
    const known = components.get(name);
    const component = type.textOrNull('component', NAME) ?? known ?? otherComponent;
    type.end(['id']);
    if (name === '' || component === '') return { name, component: component ?? '' };
    const path = type.pathOf('component');
    if (component === undefined) {
      const names = [...components.keys()].join(', ');
      this.report(
        path,
        `must be given for "${name}", which is not one of the field types that are known: ${names}`,
      );
    } else if (known !== undefined && component !== known) {
      this.report(path, `must be "${known}" for the field type "${name}", but is ${shown(component)}`);
    } else {
      components.set(name, component);
    }
    return { name, component: component ?? '' };
  }

  private entityOf(field: ObjectReader): { entity?: string } {
    const entity = field.textOrNull('entity', NAME);
    if (entity === null) return {};
    if (entity !== '' && !this.entityNames.has(entity)) {
      this.report(
        field.pathOf('entity'),
        `must be the name of one of the form's entities, but is ${shown(entity)}`,
      );
    }
    return { entity };
  }

  private condition(condition: ObjectReader): DefinedCondition {
    const code = condition.text('depends_on_field_code', { min: 1 });
    if (code !== '') this.testedCodes.push({ path: condition.pathOf('depends_on_field_code'), code });
    const definition = {
      depends_on_field_code: code,
      operator: condition.choice('operator', OPERATORS),
      value: condition.text('value', { fallback: '' }),
      action: condition.choice('action', ACTIONS),
    };
    condition.end(['id', 'depends_on_field_id']);
    return definition;
  }
}

function readOption(option: ObjectReader, position: number, values: Map<string, string>) {
  const definition = {
    label: option.text('label'),
    value: option.text('value', { distinct: values }),
    order: option.integer('order', { fallback: position }),
  };
  option.end(['id']);
  return definition;
}
