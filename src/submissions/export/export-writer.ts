import type { ExportedRow } from './submission-pages.js';

/** How an export is written; all lines bring their own ends. */
export interface ExportWriter {
  readonly header: string;
  /**
   * Set where some submissions cannot be written.
   *
   * @throws ExportError names the first mistake
   */
  readonly check?: (submission: ExportedRow) => void;
  readonly linesOf: (submission: ExportedRow) => Iterable<string>;
  /** Sentences about what was written. */
  readonly warnings?: () => string[];
}

/** The format cannot hold what is stored. Nothing was written. */
export class ExportError extends Error {}
