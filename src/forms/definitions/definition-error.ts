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

  constructor(readonly mistakes: readonly Mistake[]) {
    const heading =
      mistakes.length === 1
        ? 'Nothing was imported:'
        : `Nothing was imported, because of ${mistakes.length} mistakes:`;
    const lines = mistakes.map(({ file, path, message }) =>
      [file, path, message].filter((part) => part !== '').join(': '),
    );
    super([heading, ...lines].join('\n  '));
  }
}
