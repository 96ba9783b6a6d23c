import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../auth/caller.decorator.js';
import type { Executor } from '../../database/statement.js';
import type { PublishedForm } from '../../forms/published-form.js';
import type { Problem } from '../../http/errors/problems.js';
import {
  type Beginning,
  GuardsSubmissions,
  type SubmissionGuard,
} from '../../submissions/guards-submissions.js';
import { formNotPublicProblem, otherFormProblem, tooManyDraftsProblem } from './problems.js';
import { rowOf, scopeOf } from './respondent-scope.js';
import { COUNT_OPEN_DRAFTS } from './respondent.statements.js';

/** Maximum number of open drafts of a respondent (P3). */
const MAX_DRAFTS = 5;

const MAX_REMEMBERED_USERS = 1_000;

/** Limits what respondents may begin (P3, P8, P10). */
@GuardsSubmissions()
@Injectable()
export class RespondentDrafts implements SubmissionGuard {
  /**
   * When the latest count began that found the maximum number of drafts of a user, by user. All requests that had arrived by then are
   * rejected without another count, so a burst of requests needs few statements (P3). A later request counts again, because a draft
   * may have been deleted.
   */
  private readonly fullAt = new LRUCache<number, number>({ max: MAX_REMEMBERED_USERS });

  rowOf({ userId, scope }: Caller): string | undefined {
    return rowOf({ id: userId, scope });
  }

  beforeBeginning(form: PublishedForm, caller: Caller): Beginning | undefined {
    const { userId, arrivedAt } = caller;
    const scope = scopeOf({ scope: caller.scope });
    if (scope === undefined) return undefined;
    if (scope.formId !== form.id) throw otherFormProblem();
    // An inactive form is rejected for being inactive.
    if (form.isActive && form.extension.access !== 'public' && !scope.beginsTests)
      throw formNotPublicProblem();
    return {
      name: 'of_respondent',
      condition: `formtrail_open_drafts(user_id) < ${MAX_DRAFTS}`,
      beforeAttempt: () => {
        if (arrivedAt <= (this.fullAt.get(userId) ?? -Infinity)) throw tooManyDraftsProblem(MAX_DRAFTS);
      },
      rejection: (executor) => this.rejection(executor, userId),
    };
  }

  private async rejection(executor: Executor, userId: number): Promise<Problem | undefined> {
    const countedAt = performance.now();
    const [drafts] = await executor.query(COUNT_OPEN_DRAFTS, [userId]);
    if ((drafts?.count ?? 0) < MAX_DRAFTS) return undefined;
    this.fullAt.set(userId, countedAt);
    return tooManyDraftsProblem(MAX_DRAFTS);
  }
}
