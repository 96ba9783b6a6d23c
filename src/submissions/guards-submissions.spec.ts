import type { DiscoveryService } from '@nestjs/core';
import type { AuthenticatedUser } from '../auth/authenticated-user.js';
import type { PublishedForm } from '../forms/published-form.js';
import { type SubmissionGuard, SubmissionGuards } from './guards-submissions.js';

const form = { id: 7 } as PublishedForm;
const user: AuthenticatedUser = { id: 1, scope: undefined };
const other: AuthenticatedUser = { id: 2, scope: undefined };

/** A guard of the user 1. */
const guard = (name: string, condition: string): SubmissionGuard => ({
  rowOf: ({ id }) => (id === user.id ? name : undefined),
  beforeBeginning: (_form, { id }) =>
    id === user.id ? { name, condition, rejection: () => Promise.resolve(undefined) } : undefined,
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
    const beginnings = guards.beforeBeginning(form, user, 0);
    const statement = guards.statementOf(beginnings);
    expect(statement.name).toBe('submissions.create_a_b');
    expect(statement.text).toContain('where true and form_id < 9 and user_id < 9');
    expect(guards.statementOf(guards.beforeBeginning(form, user, 1))).toBe(statement);
    expect(guards.rowOf(user)).toBe('a');
  });

  it('decide nothing for a user whom no guard concerns', () => {
    const guards = guardsOf(guard('a', 'true'));
    expect(guards.beforeBeginning(form, other, 0)).toEqual([]);
    expect(guards.rowOf(other)).toBeUndefined();
  });
});
