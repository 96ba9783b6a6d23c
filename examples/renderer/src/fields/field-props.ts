import type { Field, Mistake, SubmissionFile } from 'formtrail-client';
import type { Upload } from 'formtrail-session';

/** What every input is given. */
export interface InputProps {
  readonly field: Field;
  /** Of the input, or of the first of a group: links of the error summary lead there. */
  readonly id: string;
  readonly value: string;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
  /** The ids of the description and the error. */
  readonly describedBy: string | undefined;
  readonly onChange: (value: string) => void;
}

/** What an input for files is given besides. */
export interface FileInputProps extends InputProps {
  readonly mistake: Mistake | undefined;
  /** What the value stands for, once that is known. */
  readonly file: SubmissionFile | undefined;
  /** What is on its way to be the value, or was refused. */
  readonly upload: Upload | undefined;
  /** Whether there is a place for more than one. */
  readonly takesSeveral: boolean;
  /** Gives back those that there is no place for. */
  readonly onFiles: (files: readonly File[]) => Promise<readonly File[]>;
  readonly onGiveUp: () => void;
}

/** The attributes that all of them have in common. */
export function commonAttributes({ id, isRequired, isInvalid, describedBy }: InputProps) {
  return { id, required: isRequired, 'aria-invalid': isInvalid, 'aria-describedby': describedBy };
}
