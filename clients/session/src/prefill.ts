// A chunk of its own, loaded only by pages that give answers to begin with.
import type { Field, FormSchema } from 'formtrail-client';
import type { AnswerKey } from './answer-key.js';
import { heldBy, isForFiles, isText } from './components.js';
import { chosenIn, isDate } from './value-formats.js';

/** Values by the code of the field: an object, or the query of an address. */
export type Prefill = Readonly<Record<string, string>> | URLSearchParams;

/** Longest value that the service stores, in code points. */
const LONGEST = 65_535;

/** Returns the answers that the form allows. The console says which values are ignored, but never shows them: they may be personal data. */
export function allowedAnswers(given: Prefill, { steps }: FormSchema): ReadonlyMap<AnswerKey, string> {
  const isQuery = given instanceof URLSearchParams;
  const values: Readonly<Record<string, unknown>> = isQuery ? valuesIn(given) : given;
  const allowed = new Map<AnswerKey, string>();
  for (const [code, value] of Object.entries(values)) {
    const field = steps.flatMap(({ fields }) => fields).find((one) => one.code === code);
    // Addresses have parameters for other programs too.
    if (field === undefined && isQuery) continue;
    const reason = field ? reasonAgainst(field, value) : 'the form has no such field';
    if (reason === undefined) allowed.set(code, value as string);
    else console.warn(`formtrail: The value to begin with for "${code}" is ignored: ${reason}.`);
  }
  return allowed;
}

/** Several parameters of one name are several options. */
function valuesIn(query: URLSearchParams): Record<string, string> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(names.map((name) => [name, query.getAll(name).join(',')]));
}

function reasonAgainst(field: Field, value: unknown): string | undefined {
  if (isText(field)) return 'the field only displays text';
  if (isForFiles(field)) return 'the field is for a file';
  if (field.is_repeatable) return 'the field is repeatable';
  if (field.meta?.['prefill'] !== true) return 'the "meta" of the field has no "prefill": true';
  if (typeof value !== 'string') return 'it is not a string';
  const rule = field.rules.find(({ kind }) => kind === 'max_length');
  if (Array.from(value).length > Math.min(LONGEST, Number(rule?.value ?? LONGEST))) return 'it is too long';
  const held = heldBy(field);
  if (held === 'date' && value !== '' && !isDate(value)) return 'it is not a date';
  const chosen = held === 'option' ? [value] : held === 'options' ? chosenIn(value, field) : [];
  const isChoice = field.options.length > 0 && value !== '';
  if (isChoice && chosen.some((one) => !field.options.some((option) => option.value === one)))
    return 'it is not an option';
  return undefined;
}
