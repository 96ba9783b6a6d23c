import { CommandError } from '../../cli/command-error.js';
import { printable } from '../../process/printable.js';

/** A position in a text. Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** An error or a warning. Has no position if it is about the whole file. */
export interface Diagnostic extends Partial<Position> {
  readonly file: string;
  /** The path in the form, such as `steps[1].fields[3].conditions[0].operator`. Empty for the whole form. */
  readonly path: string;
  readonly message: string;
}

/** The default position is the position of the path. */
export type Report = (path: string, message: string, position?: Position) => void;

/** The files cannot be imported. Nothing was changed. */
export class DefinitionError extends CommandError {
  override readonly name = 'DefinitionError';

  constructor(
    readonly mistakes: readonly Diagnostic[],
    outcome = 'Nothing was imported',
  ) {
    const heading =
      mistakes.length === 1 ? `${outcome}:` : `${outcome}, because of ${mistakes.length} errors:`;
    super([heading, ...mistakes.map(asLine)].join('\n  '));
  }
}

/** Formats a diagnostic, for example `job.json: line 12, column 7: steps[0].title: must be a text`. */
export function asLine({ file, line, column, path, message }: Diagnostic): string {
  const position = line === undefined ? '' : `line ${line}, column ${column}`;
  return printable([file, position, path, message].filter((part) => part !== '').join(': '));
}

const MAX_QUOTED = 80;

export function quote(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`;
}

const MAX_LISTED = 8;

/** Joins texts with commas, up to a number of them. */
export function listed(texts: readonly string[]): string {
  const first = texts.slice(0, MAX_LISTED).join(', ');
  return texts.length <= MAX_LISTED ? first : `${first} and ${texts.length - MAX_LISTED} more`;
}

export function isObject<T>(value: T): value is T & Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
