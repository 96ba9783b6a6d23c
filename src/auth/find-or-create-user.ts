import { type EntityManager, Raw } from 'typeorm';
import { User } from './entities/user.js';

/** Returns the user with this email address, regardless of letter case. Creates the user if there is none. */
export async function findOrCreateUser(manager: EntityManager, email: string): Promise<User> {
  const found = await findUser(manager, email);
  if (found !== null) return found;
  // TypeORM cannot name the expression of the unique index, lower(email), in "on conflict".
  await manager.query('insert into users (email) values ($1) on conflict (lower(email)) do nothing', [email]);
  return (await findUser(manager, email)) as User;
}

/** Finds the user with this email address, regardless of letter case. */
export const findUser = (manager: EntityManager, email: string): Promise<User | null> =>
  manager.findOneBy(User, { email: Raw((column) => `lower(${column}) = lower(:email)`, { email }) });
