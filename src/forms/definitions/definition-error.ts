/** Where something is in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A mistake or a warning. It has no position where it is about the file as a whole. */
export interface Diagnostic extends Partial<Position> {
  readonly file: string;
  /** Where in the form, as in `steps[1].fields[3].conditions[0].operator`; empty for the form as a whole. */
  readonly path: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
}

/** Without a position, that of the path counts. */
export type Report = (path: string, message: string, position?: Position) => void;

/** Files that cannot be imported, with every mistake in them. Nothing was changed. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  constructor(
    readonly mistakes: readonly Diagnostic[],
    outcome = 'Nothing was imported',
  ) {
    const heading =
      mistakes.length === 1 ? `${outcome}:` : `${outcome}, because of ${mistakes.length} mistakes:`;
    super([heading, ...mistakes.map(asLine)].join('\n  '));
  }
}

/** As in `job.json: line 12, column 7: steps[0].title: must be a text`. */
export function asLine({ file, line, column, path, message }: Diagnostic): string {
  const position = line === undefined ? '' : `line ${line}, column ${column}`;
  return [file, position, path, message].filter((part) => part !== '').join(': ');
}

const MAX_QUOTED = 80;

/** A value as a message quotes it, truncated. */
export function quote(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`;
}
