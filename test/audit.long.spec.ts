import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { User } from '../src/entities.js';
import { PATIENCE } from './support/built-service.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { type Service, startService } from './support/service.js';
import { storeSubmission } from './support/stored-submissions.js';

let { database, start, close } = {} as OpenCommandLine;
let service: Service;

beforeAll(async () => {
  ({ database, start, close } = await openCommandLine());
  service = await startService(database);
}, 120_000);
afterAll(async () => {
  await service.close();
  await close();
});

const query = <T = unknown>(sql: string, values: unknown[] = []) =>
  database.dataSource.query<T[]>(sql, values);

/** Returns the entries that `work` adds to the audit log, oldest first. */
async function actsOf(work: () => Promise<unknown>) {
  const [{ last } = {}] = await query<{ last?: string }>(
    'select coalesce(max(id), 0) as last from audit_log',
  );
  await work();
  return query<{ actor: string; database_role: string; action: string; subject: string; detail: object }>(
    'select actor, database_role, action, subject, detail from audit_log where id > $1 order by id',
    [last],
  );
}

const newUser = () =>
  database.dataSource.manager.save(
    database.dataSource.manager.create(User, { email: `${randomUUID()}@example.org` }),
  );

describe('for the command line, the audit log records', () => {
  it('an export that is interrupted half way', async () => {
    const built = await buildForm(database.dataSource, { steps: [{ name: {} }] });
    const user = await newUser();
    const value = { name: 'x'.repeat(60_000) };
    for (let count = 0; count < 40; count += 1)
      await storeSubmission(database.dataSource, user.id, built, { uuid: randomUUID() }, value);
    const acts = await actsOf(async () => {
      const child = start(['submissions', 'export', '--form', built.form.slug]);
      const closed = once(child, 'close');
      child.stdout!.once('data', () => child.stdout!.pause());
      await eventually('the first rows are out', () => child.stdout!.isPaused(), PATIENCE);
      child.kill('SIGINT');
      child.stdout!.destroy();
      expect((await closed)[0]).not.toBe(0);
    });
    expect(acts).toMatchObject([{ action: 'submissions.exported', subject: `form:${built.form.slug}` }]);
  });
});
