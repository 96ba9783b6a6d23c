/** Where something is in a text, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** It has no place where it is about the file as a whole. */
export interface Mistake extends Partial<Place> {
  readonly file: string;
  /** Where in the form, as in `steps[1].fields[3].conditions[0].operator`; empty for the form as a whole. */
  readonly path: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
}

/** The place is that of the path, if it is not given. */
export type Report = (path: string, message: string, place?: Place) => void;

/** Files that cannot be imported, with every mistake in them. Nothing was changed. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  constructor(
    readonly mistakes: readonly Mistake[],
    outcome = 'Nothing was imported',
  ) {
    const heading =
      mistakes.length === 1 ? `${outcome}:` : `${outcome}, because of ${mistakes.length} mistakes:`;
    super([heading, ...mistakes.map(asLine)].join('\n  '));
  }
}

/** As in `job.json: line 12, column 7: steps[0].title: must be a text`. */
export function asLine({ file, line, column, path, message }: Mistake): string {
  const place = line === undefined ? '' : `line ${line}, column ${column}`;
  return [file, place, path, message].filter((part) => part !== '').join(': ');
}

const MAX_SHOWN = 80;

/** A value as a message shows it, cut short. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
