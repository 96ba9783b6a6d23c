import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Caller } from '../auth/caller.decorator.js';
import type { BatchedStatement, Executor } from '../database/statement.js';
import type { PublishedForm } from '../forms/published-form.js';
import type { FieldErrors, Problem } from '../http/errors/problems.js';
import type { OwnSubmission } from './submission-reference.decorator.js';
import { createSubmissionWhere } from './submission.statements.js';
import type { ShownSubmission, StoredRecord } from './submission.rows.js';

/** Marks a provider that is a {@link SubmissionGuard}. */
export const GuardsSubmissions = DiscoveryService.createDecorator();

/** Decides which submissions may be begun, written and completed. */
export interface SubmissionGuard {
  /** Names the row that requests of this user wait for, for `Executor.retryWhileLocked`. Asked before the form is known. */
  rowOf?(caller: Caller): string | undefined;
  /**
   * Called before anything is written. Returns undefined if the guard does not concern this form and this user: the draft is then
   * begun as if the guard did not exist.
   *
   * @throws Problem if the user may not begin a submission of the form
   */
  beforeBeginning?(form: PublishedForm, caller: Caller): Beginning | undefined;
  /**
   * Whether the guard rejects writes to drafts of any form. Each write asks before its form is known, so the answer must be quick. If no
   * guard does, writes need not find their form first.
   */
  rejectsWrites?(): boolean | Promise<boolean>;
  /**
   * Returns why the user cannot write to a draft of the form: store values, move, change records, files or meta, or complete it. Undefined:
   * the user can.
   */
  rejectionOfWrite?(executor: Executor, form: PublishedForm, caller: Caller): Promise<Problem | undefined>;
  /** Returns undefined if any number of submissions of the form may be completed: completion is then as if the guard did not exist. */
  beforeCompleting?(form: PublishedForm): Admission | undefined;
}

/** A draft whose values were read, and that is being completed. */
export interface Completion {
  readonly reference: OwnSubmission;
  readonly form: PublishedForm;
  readonly records: readonly StoredRecord[];
  /** The names of the values whose fields are hidden: see `hidden-values.ts`. */
  readonly hidden: readonly string[];
  /** Whether the transaction has completed it already, which a rejection undoes. */
  readonly isDone: boolean;
}

/**
 * Decides whether a submission is completed: before, so that a rejection is cheap, and again in the transaction that has completed it, so that
 * it is exact.
 */
export interface Admission {
  /** Names the row that completions wait for, for `Executor.transaction`. */
  readonly row: string;
  /** Returns errors in the shape of strict completion, under any policy. */
  fieldErrors(executor: Executor, completion: Completion): Promise<FieldErrors>;
  /** Returns why the submission cannot be completed. Asked if there are no field errors. */
  rejection(executor: Executor, completion: Completion): Promise<Problem | undefined>;
}

/** Decides in the transaction that begins a draft. */
export interface Beginning {
  /** Part of the name of the statement. The same for all beginnings with this condition. */
  readonly name: string;
  /**
   * SQL of the condition on `user_id` and `form_id` under which the draft is inserted. The user is locked before. A volatile function
   * therefore sees everything that other drafts of the user have committed.
   */
  readonly condition: string;
  /** Called before each attempt. Throws a Problem if it is known that the condition does not hold. */
  beforeAttempt?(): void;
  /** Returns why nothing was inserted. Undefined: the condition holds now, and the attempt is repeated. */
  rejection(executor: Executor): Promise<Problem | undefined>;
}

const NONE: readonly Beginning[] = [];
const NO_ADMISSIONS: readonly Admission[] = [];

/** A person who has no user yet. */
const newcomer = (): Caller => ({ userId: 0, arrivedAt: performance.now() });

/** Asks the guards. */
@Injectable()
export class SubmissionGuards implements OnModuleInit {
  private guards: readonly SubmissionGuard[] = [];
  /** By the names of the beginnings. Requests share a batch only if they have the same statement. */
  private readonly statements = new Map<string, BatchedStatement<ShownSubmission>>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const providers = this.discovery.getProviders({ metadataKey: GuardsSubmissions.KEY });
    this.guards = providers.map(({ instance }) => instance as SubmissionGuard);
  }

  rowOf(caller: Caller): string | undefined {
    for (const guard of this.guards) {
      const row = guard.rowOf?.(caller);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** Returns what the guards that are concerned decide later. */
  beforeBeginning(form: PublishedForm, caller: Caller): readonly Beginning[] {
    let concerned = NONE;
    for (const guard of this.guards) {
      const beginning = guard.beforeBeginning?.(form, caller);
      if (beginning !== undefined) concerned = [...concerned, beginning];
    }
    return concerned;
  }

  /** Returns why a person without a user could not begin a submission of the form. */
  async rejectionOfNewcomer(executor: Executor, form: PublishedForm): Promise<Problem | undefined> {
    for (const beginning of this.beforeBeginning(form, newcomer())) {
      const rejection = await beginning.rejection(executor);
      if (rejection !== undefined) return rejection;
    }
    return undefined;
  }

  /** Whether any guard rejects writes to drafts of any form. */
  async rejectsWrites(): Promise<boolean> {
    for (const guard of this.guards) if ((await guard.rejectsWrites?.()) === true) return true;
    return false;
  }

  async rejectionOfWrite(
    executor: Executor,
    form: PublishedForm,
    caller: Caller,
  ): Promise<Problem | undefined> {
    for (const guard of this.guards) {
      const rejection = await guard.rejectionOfWrite?.(executor, form, caller);
      if (rejection !== undefined) return rejection;
    }
    return undefined;
  }

  /** Returns what the guards that are concerned decide in the transaction that completes. */
  beforeCompleting(form: PublishedForm): readonly Admission[] {
    let concerned = NO_ADMISSIONS;
    for (const guard of this.guards) {
      const admission = guard.beforeCompleting?.(form);
      if (admission !== undefined) concerned = [...concerned, admission];
    }
    return concerned;
  }

  /** Returns the statement that inserts a draft under all conditions. */
  statementOf(beginnings: readonly Beginning[]): BatchedStatement<ShownSubmission> {
    const name = beginnings.map((beginning) => beginning.name).join('_') || 'test';
    let statement = this.statements.get(name);
    if (statement === undefined) {
      const conditions = beginnings.map(({ condition }) => condition);
      statement = createSubmissionWhere(`submissions.create_${name}`, conditions);
      this.statements.set(name, statement);
    }
    return statement;
  }
}
