import { CommandError } from '../../../cli/command-error.js';
import { printable } from '../../../process/printable.js';

/** Maximum texts in a file, more than any form has. */
export const MAX_UNITS = 400_000;

/** A text in a translator's file. */
export interface FileUnit {
  readonly id: string;
  /** Counts from 1. */
  readonly line: number;
  readonly source: string;
  /** Empty: remove the translation. Undefined: the file says nothing about it. */
  readonly target: string | undefined;
}

export interface TranslationFile {
  /** The form that the file names. Undefined: it names none. */
  readonly slug?: string | undefined;
  /** Language tags as the file writes them. */
  readonly sourceLocale: string;
  readonly locale: string;
  readonly units: readonly FileUnit[];
}

export interface FileMistake {
  /** Undefined: the whole file. */
  readonly line?: number | undefined;
  readonly message: string;
}

export interface ImportedTranslations {
  readonly slug: string;
  readonly locale: string;
  readonly version: number;
  readonly written: number;
  readonly removed: number;
  readonly unchanged: number;
  /** The texts of the form that have no translation now. */
  readonly missing: number;
}

/** The file cannot be imported. Nothing was changed. */
export class TranslationError extends CommandError {
  constructor(file: string, mistakes: readonly FileMistake[]) {
    const why = mistakes.length === 1 ? '' : `, because of ${mistakes.length} errors`;
    const lines = mistakes.map(({ line, message }) =>
      printable(`${file}: ${line === undefined ? '' : `line ${line}: `}${message}`),
    );
    super([`Nothing was imported${why}:`, ...lines].join('\n  '));
  }
}

/** Ends the reading of a file at its first error, after which the rest makes no sense. */
export class UnreadableFile extends Error {
  constructor(readonly mistake: FileMistake) {
    super(mistake.message);
  }
}
