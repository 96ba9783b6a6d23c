import type { Readable } from 'node:stream';
import type { DataSource, EntityManager } from 'typeorm';
import type { Environment } from '../config/environment.js';
import type { SubmissionExtension } from '../submissions/entities/submission.js';

/** Functions of a capability that commands of the core, or of other capabilities, call. Each is optional. */
export interface Hooks {
  /** Records an act, in the transaction that performs it. */
  readonly recordAct?: (manager: Pick<EntityManager, 'query'>, act: OperatorAct) => Promise<void>;
  /** Fills a new database for development. Called again at the next start if the database has no user yet. */
  readonly fillNew?: (manager: EntityManager, packageRoot: string) => Promise<void>;
  readonly deletions?: Deletions;
  /** Takes part in the command "db restored", after a restore. `options` are those of the command. Undefined: it has no part in it. */
  readonly afterRestore?: (
    dataSource: DataSource,
    options: CommandOptions,
  ) => Promise<RestoreReport | undefined>;
  readonly userNames?: UserNames;
  /**
   * Checks that the names of a command mean nobody else. Returns sentences about other accounts that may belong to the named people.
   *
   * @throws CommandError if a named address may mean other accounts. `command`, such as `users erase`, is for the message
   */
  readonly checkNames?: (
    manager: EntityManager,
    named: FoundPeople,
    command: string,
  ) => Promise<readonly string[]>;
  readonly personalData?: PersonalData;
  /** A sentence about what an erasure of a person leaves, and an export of a person's data leaves out. */
  readonly staysBehind?: string;
  /** Begins an export of submissions. `options` are those of the command. Undefined: the capability has no part in it. */
  readonly beginExport?: (options: CommandOptions) => Promise<ExportExtension | undefined>;
}

export type CommandOptions = Readonly<Record<string, unknown>>;

/** An act of an operator, which no trigger records. */
export interface OperatorAct {
  /** The kind of the object and a verb, such as `form.imported`. */
  readonly action: string;
  /** The object of the act: its kind, a colon and its identifier, such as `form:feedback`. */
  readonly subject: string;
  /** May contain counts, ids and settings, but no value of a submission and no email address. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** The submissions that a command deletes: one, or all of a form or a user. A form or a user is deleted after its submissions. */
export interface SelectedSubmissions {
  readonly column: 'uuid' | 'form_id' | 'user_id';
  readonly key: string | number;
}

/** Functions that a deletion of submissions calls. */
export interface Deletions {
  /** Returns a sentence that says why nothing can be deleted. Called again in the transaction, because the reason may be new. */
  readonly obstacle?: (manager: EntityManager, selected: SelectedSubmissions) => Promise<string | undefined>;
  /** Locks rows that come before submissions in the order of locks (docs/architecture.md). */
  readonly lock?: (manager: EntityManager, selected: SelectedSubmissions) => Promise<void>;
  /** Deletes what no foreign key deletes. The submissions are deleted already. */
  readonly deleteRest?: (manager: EntityManager, selected: SelectedSubmissions) => Promise<void>;
  /**
   * Deletes copies of answers that still wait somewhere, in the transaction that deletes the answers because they must be forgotten.
   * `fieldIds` names the fields whose answers are deleted. Undefined: the submissions are deleted.
   */
  readonly forgetCopies?: (
    manager: EntityManager,
    submissions: readonly string[],
    fieldIds?: readonly number[],
  ) => Promise<void>;
  /** Like `forgetCopies`, for all deleted submissions of a user who is erased, also those that were deleted before. */
  readonly forgetCopiesOfUser?: (manager: EntityManager, userId: number) => Promise<void>;
  readonly purge?: Purge;
}

/** What a capability did after a restore. */
export interface RestoreReport {
  /** Properties of the JSON output of the command. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  /** Why the command fails, although the rest is done. */
  readonly failure?: string | undefined;
}

/** Submissions that the command "submissions purge" deletes. */
export interface Purge {
  /** The property of the options that asks for the purge. Undefined: it is part of each purge. */
  readonly option?: string;
  /** Deletes submissions in batches, or only counts them. */
  readonly run: (dataSource: DataSource, options: PurgeSelection) => Promise<PurgeReport>;
}

export interface PurgeSelection {
  readonly environment: Environment;
  readonly options: CommandOptions;
  /** Selects only submissions of this form. Undefined: those of all forms. */
  readonly formId: number | undefined;
  readonly dryRun: boolean;
  /** Shows how many submissions were deleted so far. */
  readonly show: (count: number) => void;
  /** Records a batch in its transaction. `form` is a slug, if the batch is on one form. */
  readonly record: (
    manager: EntityManager,
    detail: Readonly<Record<string, unknown>>,
    options?: { readonly action?: string; readonly form?: string },
  ) => Promise<void>;
}

export interface PurgeReport {
  /** Properties of the JSON output of the command. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
}

/** Names of users other than addresses and ids. Options of commands have these names. */
export interface UserNames {
  /** The options, such as `--phone NUMBER`, for the end of a sentence. */
  readonly usage: string;
  /** A sentence for an operator whose address finds no user. */
  readonly advice: string;
  /**
   * Returns a function for each name, which finds the id of a user.
   *
   * @throws CommandError if the options are incomplete. The functions throw it if no user has the name
   */
  readonly findersOf: (options: CommandOptions) => readonly ((manager: EntityManager) => Promise<number>)[];
  /** Completes a line about a user who was found, such as `, with no identity`. May add lines. */
  readonly describe: (manager: EntityManager, userId: number) => Promise<string>;
  /** Returns a sentence about users whom no address can find, if there are any. */
  readonly withoutAddress: (manager: EntityManager) => Promise<string | undefined>;
}

export interface Person {
  readonly id: number;
  readonly email: string | null;
}

/** The users that a command has found. */
export interface FoundPeople {
  /** The addresses that the operator named, also those that no user has. */
  readonly emails: readonly string[];
  readonly people: Person[];
}

/** What a capability stores of a person, for commands that show or export it. Contains no secret and no hash of one. */
export interface PersonalData {
  /** Returns further properties of the user in JSON. */
  readonly ofUser?: (manager: EntityManager, userId: number) => Promise<Readonly<Record<string, unknown>>>;
  /** Finds the files of some submissions. */
  readonly filesOf?: (manager: EntityManager, submissions: readonly string[]) => Promise<PersonalFile[]>;
  /** Opens the storage of files. Undefined: it is switched off, so that files are exported without their content. */
  readonly openFiles?: () => Promise<ReadContent | undefined>;
}

export interface PersonalFile {
  readonly uuid: string;
  readonly submission_uuid: string;
  readonly field_id: number;
  readonly entity_record_id: number | null;
  /** The name on the person's device. */
  readonly name: string;
  /** The last part of a name that is safe on any system, such as `.pdf`, or empty. */
  readonly extension: string;
  readonly size: number;
  readonly media_type: string;
  readonly sha256: string;
  readonly state: string;
  readonly created_at: string;
}

/** Reads the content of a file, after the transaction of the export. `leftOut` is a sentence that says why there is none. */
export type ReadContent = (
  dataSource: DataSource,
  file: Pick<PersonalFile, 'uuid' | 'state'>,
) => Promise<{ readonly content: Readable } | { readonly leftOut: string; readonly isMissing: boolean }>;

/** The part of a capability in one export of submissions. */
export interface ExportExtension {
  /** Checks the database before anything is written. Returns what the record of the export says about the options. */
  readonly begin: (dataSource: DataSource) => Promise<Readonly<Record<string, unknown>>>;
  /**
   * Finds the fields whose values the export leaves out, and with them the meta of the submissions and the addresses of their users.
   * Undefined: nothing is left out.
   */
  readonly findLeftOut?: (manager: EntityManager, formId: number) => Promise<ReadonlySet<number> | undefined>;
  /** Reads the details of the values of some submissions. Undefined: there are none. */
  readonly readDetails?: (manager: EntityManager, page: ExportedPage) => Promise<FindDetail | undefined>;
  /** Finds labels for a submission, or for the names of columns if there is none. Undefined: the form's own labels are shown. */
  readonly findLabels?: (
    manager: EntityManager,
    form: ExportedVersion,
    submission?: SubmissionExtension,
  ) => Promise<FindLabel | undefined>;
  /** Called after the transaction of the export. */
  readonly finish?: (dataSource: DataSource) => Promise<void>;
  readonly close?: () => Promise<void>;
  /** Reports to the operator, after everything else. Throws if the export is incomplete. */
  readonly report?: () => void;
}

export interface ExportedVersion {
  readonly formId: number;
  /** Null: the form as it is now. */
  readonly version: number | null;
}

/** Returns the label of a part of the form. Undefined: the form's own. The same function always returns the same labels. */
export type FindLabel = (
  part: { readonly fieldId: number; readonly option?: string } | { readonly entity: string },
) => string | undefined;

export interface ExportedPage {
  /** The components of the form's fields. */
  readonly components: ReadonlySet<string>;
  readonly uuids: readonly string[];
}

export type FindDetail = (submissionUuid: string, value: string) => ValueDetail | undefined;

export interface ValueDetail {
  /** The key of the details in JSON. */
  readonly key: string;
  readonly content: object;
  /** Replaces the value in a table. */
  readonly text: string;
  /** Called after the value was written. Must not take long, because a transaction is open. */
  readonly onWritten?: () => Promise<void>;
}
