import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Caller } from '../auth/caller.decorator.js';
import type { BatchedStatement, Executor } from '../database/statement.js';
import type { PublishedForm } from '../forms/published-form.js';
import type { Problem } from '../http/errors/problems.js';
import { createSubmissionWhere } from './submission.statements.js';
import type { ShownSubmission } from './submission.rows.js';

/** Marks a provider that is a {@link SubmissionGuard}. */
export const GuardsSubmissions = DiscoveryService.createDecorator();

/** Decides which submissions may be begun. */
export interface SubmissionGuard {
  /** Names the row that requests of this user wait for, for `Executor.retryWhileLocked`. Asked before the form is known. */
  rowOf?(caller: Caller): string | undefined;
  /**
   * Called before anything is written. Returns undefined if the guard does not concern this form and this user: the draft is then
   * begun as if the guard did not exist.
   *
   * @throws Problem if the user may not begin a submission of the form
   */
  beforeBeginning(form: PublishedForm, caller: Caller): Beginning | undefined;
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
      const beginning = guard.beforeBeginning(form, caller);
      if (beginning !== undefined) concerned = [...concerned, beginning];
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
