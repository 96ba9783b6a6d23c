import { unstorable, unstorableJson } from '../../http/storable-text.js';

export type Report = (path: string, message: string) => void;

/** The range of a column of type `integer`. */
const INTEGER_MIN = -2_147_483_648;
const INTEGER_MAX = 2_147_483_647;

export interface TextRules {
  readonly fallback?: string;
  readonly min?: number;
  /** In characters as PostgreSQL counts them, not in UTF-16 units. */
  readonly max?: number;
  /** What the text must match, and how to say so. */
  readonly form?: { readonly matches: (text: string) => boolean; readonly name: string };
  /** Where each value was met first; a value may be there once only. */
  readonly distinct?: Map<string, string>;
}

/**
 * Reads the keys of a JSON object. What is wrong is reported with its path, and reading goes on with a value of the
 * right type in its place, so that one pass finds every mistake.
 */
export class ObjectReader {
  private readonly known = new Set<string>();
  private readonly source: Readonly<Record<string, unknown>>;
  private readonly report: Report;

  constructor(
    source: unknown,
    private readonly path: string,
    report: Report,
  ) {
    const isObject = isPlainObject(source);
    if (!isObject) report(path, `must be an object, but is ${shown(source)}`);
    this.source = isObject ? source : {};
    // One mistake is enough for what is not an object: its keys are not missing one by one.
    this.report = isObject ? report : () => undefined;
  }

  text(key: string, rules: TextRules = {}): string {
    const value = this.take(key, rules.fallback);
    if (typeof value !== 'string') return this.refuse(key, `must be ${describe(rules)}`, value, '');
    const why = unstorable(value);
    if (why !== undefined) {
      this.report(this.pathOf(key), `${why}, which cannot be stored`);
      return '';
    }
    const length = Array.from(value).length;
    if (length < (rules.min ?? 0) || length > (rules.max ?? Infinity)) {
      this.report(this.pathOf(key), `must be ${describe(rules)}, but has ${length}`);
    } else if (rules.form?.matches(value) === false) {
      this.refuse(key, `must be ${describe(rules)}`, value, value);
    } else {
      this.checkDistinct(key, value, rules.distinct);
    }
    return value;
  }

  textOrNull(key: string, rules: TextRules = {}): string | null {
    return this.take(key, null) === null ? null : this.text(key, rules);
  }

  boolean(key: string, fallback: boolean): boolean {
    const value = this.take(key, fallback);
    return typeof value === 'boolean' ? value : this.refuse(key, 'must be true or false', value, fallback);
  }

  integer(
    key: string,
    rules: { fallback?: number; min?: number; distinct?: Map<string, string> } = {},
  ): number {
    const value = this.take(key, rules.fallback);
    const min = rules.min ?? INTEGER_MIN;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > INTEGER_MAX) {
      return this.refuse(key, `must be a whole number from ${min} to ${INTEGER_MAX}`, value, min);
    }
    this.checkDistinct(key, String(value), rules.distinct);
    return value;
  }

  choice<T extends string>(key: string, choices: readonly [T, ...T[]]): T {
    const value = this.take(key);
    return (
      choices.find((known) => known === value) ??
      this.refuse(key, `must be one of ${choices.join(', ')}`, value, choices[0])
    );
  }

  /** An object of any content that PostgreSQL can hold, or null, which it also is where it is left out. */
  jsonObjectOrNull(key: string): Record<string, unknown> | null {
    const value = this.take(key, null);
    if (value === null) return null;
    if (!isPlainObject(value)) return this.refuse(key, 'must be an object or null', value, null);
    const why = whyUnstorable(value);
    if (why !== undefined) this.report(this.pathOf(key), `${why}, which cannot be stored`);
    return value;
  }

  object(key: string): ObjectReader {
    const value = this.take(key);
    if (value !== undefined) return new ObjectReader(value, this.pathOf(key), this.report);
    this.report(this.pathOf(key), 'is missing; it must be an object');
    return new ObjectReader({}, this.pathOf(key), () => undefined);
  }

  list<T>(key: string, read: (element: ObjectReader, position: number) => T, fallback?: readonly T[]): T[] {
    const value = this.take(key, fallback);
    if (!Array.isArray(value)) return this.refuse(key, 'must be an array', value, []);
    return value.map((element: unknown, index) => {
      const reader = new ObjectReader(element, `${this.pathOf(key)}[${index}]`, this.report);
      return read(reader, index + 1);
    });
  }

  has(key: string): boolean {
    return Object.hasOwn(this.source, key);
  }

  /** Reports every key that was not read, but for those that a schema response has and a definition does not need. */
  end(ignored: readonly string[] = []): void {
    for (const key of Object.keys(this.source)) {
      if (this.known.has(key) || ignored.includes(key)) continue;
      const keys = [...this.known].join(', ');
      this.report(this.pathOf(key), `is not a key that is known here; known are ${keys}`);
    }
  }

  pathOf(key: string): string {
    const isPlain = /^\w+$/.test(key);
    if (this.path === '') return isPlain ? key : `[${JSON.stringify(key)}]`;
    return isPlain ? `${this.path}.${key}` : `${this.path}[${JSON.stringify(key)}]`;
  }

  private take(key: string, fallback?: unknown): unknown {
    this.known.add(key);
    return this.has(key) ? this.source[key] : fallback;
  }

  private refuse<T>(key: string, what: string, given: unknown, instead: T): T {
    this.report(
      this.pathOf(key),
      given === undefined ? `is missing; it ${what}` : `${what}, but is ${shown(given)}`,
    );
    return instead;
  }

  private checkDistinct(key: string, value: string, met: Map<string, string> | undefined): void {
    const first = met?.get(value);
    if (first !== undefined)
      this.report(this.pathOf(key), `must not be the same as ${first} (${shown(value)})`);
    else met?.set(value, this.pathOf(key));
  }
}

function describe({ min = 0, max, form }: TextRules): string {
  if (form !== undefined) return form.name;
  if (max === undefined) return min > 0 ? 'a text that is not empty' : 'a text';
  return min > 0 ? `a text of ${min} to ${max} characters` : `a text of at most ${max} characters`;
}

/** A value as a message shows it, cut short. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

function whyUnstorable(value: unknown): string | undefined {
  try {
    return unstorableJson(value);
  } catch (error) {
    if (error instanceof RangeError) return 'is nested too deeply';
    throw error;
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
