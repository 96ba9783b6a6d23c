import type { EntityManager } from 'typeorm';

export interface FoundUser {
  readonly id: number;
  readonly email: string;
}

/** Returns the user with this email address, regardless of letter case. Creates the user if there is none. */
export async function findOrCreateUser(manager: EntityManager, email: string): Promise<FoundUser> {
  const found = await findUser(manager, email);
  if (found !== undefined) return found;
  await manager.query('insert into users (email) values ($1) on conflict (lower(email)) do nothing', [email]);
  return (await findUser(manager, email)) as FoundUser;
}

async function findUser(manager: EntityManager, email: string): Promise<FoundUser | undefined> {
  const [user] = await manager.query<FoundUser[]>(
    'select id, email from users where lower(email) = lower($1)',
    [email],
  );
  return user;
}
