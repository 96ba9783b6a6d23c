export interface Mistake {
  readonly file: string;
  /** Where in the file, as in `steps[1].fields[3].conditions[0].operator`; empty for the file as a whole. */
  readonly path: string;
  /** What is wrong and what is allowed. */
  readonly message: string;
}

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

/** As in `job.json: steps[0].title: must be a text`. */
export function asLine({ file, path, message }: Mistake): string {
  return [file, path, message].filter((part) => part !== '').join(': ');
}
