import type { EntityManager } from 'typeorm';
import { counted } from '../../../cli/output.js';

export interface SubmissionNumbers {
  readonly draft: number;
  readonly completed: number;
  /** The drafts and completed submissions that are held. */
  readonly held: number;
}

const COUNT = `
  select count(*) filter (where status = 'draft')::integer as draft,
         count(*) filter (where status = 'completed')::integer as completed,
         count(*) filter (where held)::integer as held
    from submissions where user_id = $1`;

export async function countSubmissionsOf(manager: EntityManager, userId: number): Promise<SubmissionNumbers> {
  const [numbers] = await manager.query<[SubmissionNumbers]>(COUNT, [userId]);
  return numbers;
}

/** For example `1 draft and 2 completed submissions, of which 1 is held`. */
export function describeNumbers({ draft, completed, held }: SubmissionNumbers): string {
  const submissions = `${counted(draft, 'draft')} and ${counted(completed, 'completed submission')}`;
  return `${submissions}, of which ${held} ${held === 1 ? 'is' : 'are'} held`;
}
