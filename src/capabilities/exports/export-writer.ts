import { CommandError } from '../../cli/command-error.js';
import type { ExportedRow } from './submission-pages.js';

/** Formats an export. Each line includes its line break. */
export interface ExportWriter {
  readonly header: string;
  /**
   * Checks whether the format can represent a submission. Undefined if the format can represent every submission.
   *
   * @throws ExportError with the first problem of the submission
   */
  readonly check?: (submission: ExportedRow) => void;
  readonly linesOf: (submission: ExportedRow) => Iterable<string>;
  /** Warnings about the rows written so far, as sentences. */
  readonly warnings?: () => string[];
}

/** Thrown if the format cannot represent a stored submission. Nothing was written. */
export class ExportError extends CommandError {}
