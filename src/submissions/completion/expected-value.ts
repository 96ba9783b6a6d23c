import { isEmail } from 'class-validator';
import { isDate, isDecimal } from '../../conditions/engine/index.js';
import { type ComponentDefinition, definitionOf } from '../../forms/field-types.js';
import { listReader, optionIn } from '../../forms/option-list.js';
import type { PublishedField } from '../../forms/published-form.js';

/** The condition under which a value fits the type and the options of its field (S4). */
export interface ExpectedValue {
  /** The code of the error if the value does not fit. */
  readonly code: 'not_a_boolean' | 'not_a_date' | 'not_a_number' | 'not_an_email' | 'not_an_option';
  /** Completes the sentence "The value must be …". */
  readonly description: string;
  readonly fits: (value: string) => boolean;
}

const BOOLEAN_WORD = /^(true|false|yes|no|on|off|1|0)$/i;
const UNTICKED_WORD = /^(false|no|off|0)$/i;

const BOOLEAN: ExpectedValue = {
  code: 'not_a_boolean',
  description: 'true or false',
  fits: (value) => BOOLEAN_WORD.test(value.trim()),
};

type Expect = (options: ReadonlySet<string>) => ExpectedValue | undefined;

/** White space around the text of the value does not count (J13). */
const EXPECTED: Readonly<Record<ComponentDefinition['holds'], Expect>> = {
  text: () => undefined,
  nothing: () => undefined,
  number: () => ({ code: 'not_a_number', description: 'a decimal number', fits: isDecimal }),
  email: () => ({
    code: 'not_an_email',
    description: 'an email address',
    fits: (value) => isEmail(value.trim()),
  }),
  date: () => ({
    code: 'not_a_date',
    description: 'a date that exists, as YYYY-MM-DD',
    fits: (value) => isDate(value.trim()),
  }),
  option: (options) => ({
    code: 'not_an_option',
    description: 'one of the options of the field',
    fits: (value) => optionIn(options, value) !== undefined,
  }),
  options: (options) =>
    options.size === 0
      ? BOOLEAN
      : {
          code: 'not_an_option',
          description: 'options of the field, separated by commas',
          fits: isListOf(options),
        },
};

/** Returns undefined if any text fits. */
export function expectedOf({ component, options }: PublishedField): ExpectedValue | undefined {
  return EXPECTED[definitionOf(component).holds](options);
}

/** Whether a value means that a checkbox without options is not ticked (J6). */
export function isUnticked({ component, options }: PublishedField, value: string): boolean {
  const isBoolean = definitionOf(component).holds === 'options' && options.size === 0;
  return isBoolean && UNTICKED_WORD.test(value.trim());
}

/** Returns a chosen option that must not have another one beside it (J12). Undefined: there is none, or the text is ambiguous. */
export function exclusiveChoiceIn(
  { component, options, exclusiveOptions }: PublishedField,
  value: string,
): string | undefined {
  if (exclusiveOptions.size === 0 || definitionOf(component).holds !== 'options') return undefined;
  const chosen = listReader(options)(value);
  if (chosen === undefined || chosen === 'several' || new Set(chosen).size < 2) return undefined;
  return chosen.find((option) => exclusiveOptions.has(option));
}

function isListOf(options: ReadonlySet<string>): (text: string) => boolean {
  const read = listReader(options);
  return (text) => read(text) !== undefined;
}
