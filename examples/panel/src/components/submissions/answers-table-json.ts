/** The page of submissions that the action `answers` returns. */
export interface AnswersTableJson {
  /** The forms to choose from, by name. */
  readonly forms: readonly { readonly id: number; readonly name: string }[];
  /** Null: the submissions of all forms. */
  readonly form: TableForm | null;
  /** The fields whose answers are columns. */
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRowJson[];
  /** The submission after which the next page begins. Null: there are no more. */
  readonly next: string | null;
}

export interface TableForm {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** All fields that can have answers, in the order of the form. Retired fields are last. */
  readonly fields: readonly TableColumn[];
}

export interface TableColumn {
  readonly id: number;
  readonly label: string;
  readonly isRetired: boolean;
  /** Whether its answers are personal data. */
  readonly isPersonal: boolean;
}

export interface TableRowJson {
  readonly uuid: string;
  readonly reference: string;
  readonly form: { readonly id: number; readonly name: string };
  readonly user: { readonly id: number; readonly title: string };
  readonly status: 'draft' | 'completed';
  readonly isTest: boolean;
  readonly isHeld: boolean;
  /** When personal answers were first deleted. Null: never. */
  readonly anonymizedAt: string | null;
  /** When it was completed or, for a draft, last changed. */
  readonly at: string;
  /** The texts of the answers, in the order of the columns. */
  readonly answers: readonly string[];
}
