import { User } from '../src/entities.js';
import { PATIENCE } from './support/built-service.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { eventually } from './support/eventually.js';
import { type BuiltForm, buildForm } from './support/forms.js';

let { database, start, close } = {} as OpenCommandLine;
let user: User;

beforeAll(async () => {
  ({ database, start, close } = await openCommandLine());
  const { manager } = database.dataSource;
  user = await manager.save(manager.create(User, { email: 'ada@example.org' }));
}, 120_000);
afterAll(() => close());

const query = (sql: string, ...values: unknown[]) => database.dataSource.query(sql, values);

describe('formtrail submissions export', () => {
  let many: BuiltForm;

  beforeAll(async () => {
    many = await buildForm(database.dataSource);
    // Insert more submissions than fit into the buffer of a pipe.
    await query(
      `insert into submissions (uuid, form_id, user_id, status)
       select gen_random_uuid(), $1, $2, 'completed' from generate_series(1, 5000)`,
      ...[many.form.id, user.id],
    );
  });

  const words = (...more: string[]) => ['submissions', 'export', '--form', many.form.slug, ...more];

  it('ends with status 1 and no stack trace when its reader closes the pipe', async () => {
    const child = start(words());
    child.stdout!.once('data', () => child.stdout!.destroy());
    let stderr = '';
    child.stderr!.on('data', (part: Buffer) => (stderr += part.toString()));
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  });

  it('ends on SIGINT with status 130, even while its reader does not read, and is in the audit log', async () => {
    const recorded = async () => {
      const sql = `select from audit_log where action = 'submissions.exported' and subject = $1`;
      return (await query(sql, `form:${many.form.slug}`)).length as number;
    };
    const before = await recorded();
    const child = start(words());
    child.stdout!.pause();
    let stderr = '';
    child.stderr!.on('data', (part: Buffer) => (stderr += part.toString()));
    await eventually(
      'the export waits for its reader, in the middle of its transaction',
      async () => {
        const waiting = await query(
          `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
              and state_change < now() - interval '300 milliseconds'`,
        );
        return waiting.length > 0;
      },
      PATIENCE,
    );
    child.kill('SIGINT');
    const status = await new Promise((resolve) => child.on('exit', resolve));
    child.stdout!.destroy();
    expect(status).toBe(130);
    await eventually('it says how far it came', () => stderr.endsWith('\n'), PATIENCE);
    expect(stderr).toMatch(/^Interrupted after at least \d+ submissions?\.\n$/);
    expect(await recorded()).toBe(before + 1);
  });
});
