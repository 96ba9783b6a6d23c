/** The data of the page of a form. */
export interface FormOutlineJson {
  readonly id: number;
  readonly slug: string;
  readonly version: number;
  /** The person who made the version, or null. */
  readonly updatedBy: string | null;
  readonly updatedAt: string;
  readonly limits: LimitsJson;
  readonly keeping: KeepingJson;
  readonly steps: readonly StepJson[];
  readonly entities: readonly EntityJson[];
  readonly fieldTypes: readonly FieldTypeJson[];
}

/** When a form is open, and how many submissions it takes. */
export interface LimitsJson {
  readonly opensAt: string | null;
  readonly closesAt: string | null;
  readonly hasOpened: boolean;
  readonly hasClosed: boolean;
  readonly closesDrafts: boolean;
  readonly timeZone: string | null;
  readonly maxSubmissions: number | null;
  readonly maxPerUser: number | null;
  /** The number of completed submissions. Null: nothing is limited, so the database does not count. */
  readonly completed: number | null;
}

/** For how many days submissions and their personal answers are kept. Null: for ever. */
export interface KeepingJson {
  readonly keepCompletedDays: number | null;
  readonly keepDraftsDays: number | null;
  readonly keepPersonalDays: number | null;
}

export interface StepJson {
  readonly id: number;
  readonly title: string;
  /** Its conditions as sentences. */
  readonly conditions: readonly string[];
  readonly fields: readonly FieldJson[];
}

export interface FieldJson {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  /** The name of its type, for people. */
  readonly type: string;
  readonly icon: string;
  readonly entityId: number | null;
  readonly isRequired: boolean;
  /** Whether its answers are personal data. */
  readonly isPersonal: boolean;
  readonly isRetired: boolean;
  /** Its conditions as sentences. */
  readonly conditions: readonly string[];
  /** A sentence about its formula. Empty: people fill in the field. */
  readonly computed: string;
  /** A sentence about the places of its options. Empty: no option has a limit. */
  readonly places: string;
}

export interface EntityJson {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly isRepeatable: boolean;
  readonly minRecords: number | null;
  readonly maxRecords: number | null;
  /** Its conditions as sentences. */
  readonly conditions: readonly string[];
}

export interface FieldTypeJson {
  readonly id: number;
  readonly name: string;
  readonly component: string;
  readonly options: 'needed' | 'possible' | 'none';
}

/** The order of a form's steps and fields, and the groups of the fields, that a person wants. */
export interface Arrangement {
  /** Version of the form that the person has seen. */
  readonly version: number;
  readonly steps: readonly {
    readonly id: number;
    readonly fields: readonly Pick<FieldJson, 'id' | 'entityId'>[];
  }[];
}

/** A token with which the operator can fill in the form for an hour. */
export interface IssuedPreview {
  readonly plainToken: string;
  /** URL of the form in the renderer, with the token. Null if the panel knows no renderer. */
  readonly url: string | null;
  readonly expiresAt: string;
}
