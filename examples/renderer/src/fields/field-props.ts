import type { Field, Mistake, SubmissionFile } from 'formtrail-client';
import type { Upload } from 'formtrail-session';

/** Properties of every input. */
export interface InputProps {
  readonly field: Field;
  /** Id of the input, or of the first one in a group. The error summary links to it. */
  readonly id: string;
  /** Key of the question. */
  readonly name: string;
  readonly value: string;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
  /** The ids of the description, the note of a change, and the error. */
  readonly describedBy: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Additional properties of a file input. */
export interface FileInputProps extends InputProps {
  readonly mistake: Mistake | undefined;
  /** The file that the value references, once it is loaded. */
  readonly file: SubmissionFile | undefined;
  /** The file that is being uploaded, or was rejected. */
  readonly upload: Upload | undefined;
  /** Whether several files can be chosen at once, each for an entry of its own. */
  readonly takesSeveral: boolean;
  /** Uploads files, and resolves to those that exceed the number of entries. */
  readonly onFiles: (files: readonly File[]) => Promise<readonly File[]>;
  readonly onCancel: () => void;
}

/** Attributes of every input. */
export function commonAttributes({ id, field, isRequired, isInvalid, describedBy }: InputProps) {
  const autoComplete = textIn(field, 'autocomplete');
  return {
    id,
    autoComplete,
    required: isRequired,
    'aria-invalid': isInvalid,
    'aria-describedby': describedBy,
  };
}

/** A text in the `meta` of a field: the author of the form may store anything there. */
export function textIn({ meta }: Field, name: 'autocomplete' | 'inputmode'): string | undefined {
  const value: unknown = meta?.[name];
  return typeof value === 'string' ? value : undefined;
}
