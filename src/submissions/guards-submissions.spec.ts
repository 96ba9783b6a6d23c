import type { DiscoveryService } from '@nestjs/core';
import type { Caller } from '../auth/caller.decorator.js';
import type { PublishedForm } from '../forms/published-form.js';
import { type SubmissionGuard, SubmissionGuards } from './guards-submissions.js';

const form = { id: 7 } as PublishedForm;
const user: Caller = { userId: 1, arrivedAt: 0 };
const other: Caller = { userId: 2, arrivedAt: 0 };

/** A guard of the user 1. */
const guard = (name: string, condition: string): SubmissionGuard => ({
  rowOf: ({ userId }) => (userId === user.userId ? name : undefined),
  beforeBeginning: (_form, { userId }) =>
    userId === user.userId ? { name, condition, rejection: () => Promise.resolve(undefined) } : undefined,
});

function guardsOf(...instances: SubmissionGuard[]): SubmissionGuards {
  const discovery = { getProviders: () => instances.map((instance) => ({ instance })) };
  const guards = new SubmissionGuards(discovery as unknown as DiscoveryService);
  guards.onModuleInit();
  return guards;
}

describe('SubmissionGuards', () => {
  it('join the conditions of all guards that are concerned in one statement, which requests share', () => {
    const guards = guardsOf(guard('a', 'form_id < 9'), guard('b', 'user_id < 9'));
    const beginnings = guards.beforeBeginning(form, user);
    const statement = guards.statementOf(beginnings);
    expect(statement.name).toBe('submissions.create_a_b');
    expect(statement.text).toContain('where true and form_id < 9 and user_id < 9');
    expect(guards.statementOf(guards.beforeBeginning(form, { ...user, arrivedAt: 1 }))).toBe(statement);
    expect(guards.rowOf(user)).toBe('a');
  });

  it('decide nothing for a user whom no guard concerns', () => {
    const guards = guardsOf(guard('a', 'true'));
    expect(guards.beforeBeginning(form, other)).toEqual([]);
    expect(guards.rowOf(other)).toBeUndefined();
  });
});
