/** Everything that distinguishes a component from the others. */
export interface ComponentDefinition {
  /** The name of its field type in a new database. */
  readonly firstType: string;
  /**
   * The kind of value that completion expects (S4). `options`: options separated by commas, or a boolean if the field has no options.
   * `nothing`: the field is for display only (V8).
   */
  readonly holds: 'text' | 'number' | 'email' | 'date' | 'option' | 'options' | 'nothing';
  /** The rules that apply to a field. `any`: its own rules show whether it is for dates, numbers or text. */
  readonly rules: 'of numbers' | 'of dates' | 'of texts' | 'any' | 'none';
}

/** The one place that lists the components that clients can render. All other code reads it. */
const TABLE = {
  'text-input': { firstType: 'text', holds: 'text', rules: 'any' },
  'email-input': { firstType: 'email', holds: 'email', rules: 'of texts' },
  'number-input': { firstType: 'number', holds: 'number', rules: 'of numbers' },
  'textarea-input': { firstType: 'textarea', holds: 'text', rules: 'any' },
  'select-input': { firstType: 'select', holds: 'option', rules: 'none' },
  'checkbox-input': { firstType: 'checkbox', holds: 'options', rules: 'none' },
  'radio-input': { firstType: 'radio', holds: 'option', rules: 'none' },
  'date-input': { firstType: 'date', holds: 'date', rules: 'of dates' },
  'file-input': { firstType: 'file', holds: 'text', rules: 'none' },
  'heading-display': { firstType: 'heading', holds: 'nothing', rules: 'none' },
  'paragraph-display': { firstType: 'paragraph', holds: 'nothing', rules: 'none' },
} satisfies Readonly<Record<string, ComponentDefinition>>;

export type Component = keyof typeof TABLE;
export const COMPONENTS = Object.keys(TABLE) as readonly Component[];

const DEFINITIONS: ReadonlyMap<string, ComponentDefinition> = new Map(Object.entries(TABLE));

/** Clients render an unknown component as a plain text input, so it is treated as one. */
export function definitionOf(component: string): ComponentDefinition {
  return DEFINITIONS.get(component) ?? TABLE['text-input'];
}

/** Field types of a new database: type names and their components. */
export const FIRST_FIELD_TYPES: ReadonlyMap<string, Component> = new Map(
  COMPONENTS.map((component) => [TABLE[component].firstType, component]),
);

/** The component of fields whose values another part of the service checks (U1, U3). */
export const FILE_COMPONENT = 'file-input' satisfies Component;
