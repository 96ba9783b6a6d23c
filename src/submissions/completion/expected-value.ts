import { isEmail } from 'class-validator';
import { isDecimal } from '../../conditions/engine/index.js';
import { isDate } from '../../forms/field-rules/rule-values.js';
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

/** Returns undefined if any text fits. White space around the text of the value does not count (J13). */
export function expectedOf({ component, options }: PublishedField): ExpectedValue | undefined {
  switch (component) {
    case 'number-input':
      return { code: 'not_a_number', description: 'a decimal number', fits: isDecimal };
    case 'email-input':
      return {
        code: 'not_an_email',
        description: 'an e-mail address',
        fits: (value) => isEmail(value.trim()),
      };
    case 'date-input':
      return {
        code: 'not_a_date',
        description: 'a date that exists, as YYYY-MM-DD',
        fits: (value) => isDate(value.trim()),
      };
    case 'select-input':
    case 'radio-input':
      return {
        code: 'not_an_option',
        description: 'one of the options of the field',
        fits: (value) => optionIn(options, value) !== undefined,
      };
    case 'checkbox-input':
      return options.size > 0
        ? {
            code: 'not_an_option',
            description: 'options of the field, separated by commas',
            fits: isListOf(options),
          }
        : {
            code: 'not_a_boolean',
            description: 'true or false',
            fits: (value) => BOOLEAN_WORD.test(value.trim()),
          };
    default:
      // Includes file fields: the values of files are checked separately (U3, V11).
      return undefined;
  }
}

/** Whether a value means that a checkbox without options is not ticked (J6). */
export function isUnticked({ component, options }: PublishedField, value: string): boolean {
  return component === 'checkbox-input' && options.size === 0 && UNTICKED_WORD.test(value.trim());
}

function isListOf(options: ReadonlySet<string>): (text: string) => boolean {
  const read = listReader(options);
  return (text) => read(text) !== undefined;
}
