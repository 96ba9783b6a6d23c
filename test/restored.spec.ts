import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { buildForm } from './support/forms.js';

let { database, run, close } = {} as OpenCommandLine;

beforeAll(async () => {
  ({ database, run, close } = await openCommandLine());
}, 120_000);
afterAll(() => close());

describe('formtrail db restored', () => {
  it('raises the versions of forms and of the UUIDs of deleted forms above those that a restore lost (N3)', async () => {
    const { dataSource } = database;
    const [kept, deleted] = [await buildForm(dataSource), await buildForm(dataSource)];
    await dataSource.query('delete from forms where id = $1', [deleted.form.id]);
    const { version } = kept.form;

    expect(await run(['db', 'restored'])).toMatchObject({
      status: 0,
      stdout: 'Raised the versions of 1 form and 1 UUID of deleted forms by 10,000.\n',
    });
    expect(await dataSource.query('select version from forms where id = $1', [kept.form.id])).toEqual([
      { version: version + 10_000 },
    ]);
    const again = await buildForm(dataSource, { form: { uuid: deleted.form.uuid } });
    expect(again.form.version).toBeGreaterThan(10_000);

    await dataSource.query(`update forms set name = 'Edited' where id = $1`, [kept.form.id]);
    expect(await dataSource.query('select version from forms where id = $1', [kept.form.id])).toEqual([
      { version: version + 10_001 },
    ]);
    expect(JSON.parse((await run(['db', 'restored', '--json'])).stdout)).toEqual({ forms: 2, deleted: 0 });
  });
});
