import type { Field } from 'formtrail-client';

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

/** The attributes that all of them have in common. */
export function commonAttributes({ id, isRequired, isInvalid, describedBy }: InputProps) {
  return { id, required: isRequired, 'aria-invalid': isInvalid, 'aria-describedby': describedBy };
}
