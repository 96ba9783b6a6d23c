import { Option, User } from '../src/entities.js';
import { openCommandLine, type OpenCommandLine } from './support/command-line.js';
import { rowsOf, times } from './support/csv-rows.js';
import { type BuiltForm, buildEntity, buildForm } from './support/forms.js';
import {
  type StoredRecord,
  storeRecord,
  type StoredSubmission,
  storeSubmission,
  uuidOf,
} from './support/stored-submissions.js';

let { database, run, close } = {} as OpenCommandLine;
let user: User;

beforeAll(async () => {
  ({ database, run, close } = await openCommandLine());
  const { manager } = database.dataSource;
  user = await manager.save(manager.create(User, { email: 'ada@example.org' }));
}, 120_000);
afterAll(() => close());

const submit = (...stored: StoredSubmission) => storeSubmission(database.dataSource, user.id, ...stored);
const addRecord = (...record: StoredRecord) => storeRecord(database.dataSource, ...record);

const csvOf = ({ form }: BuiltForm, ...words: string[]) =>
  run(['submissions', 'export', '--form', form.slug, '--format', 'csv', ...words]);

describe('an export in CSV for people', () => {
  it('has labels instead of codes and values of options, and distinguishes equal labels', async () => {
    const built = await buildForm(database.dataSource, {
      steps: [
        {
          colour: { label: 'Colour', type: 'checkbox', options: ['red', 'white', 'both'] },
          other: { label: 'Colour', type: 'select', options: ['a', 'b'] },
          status: { label: 'status' },
          kind: { label: '', isRepeatable: true, type: 'radio', options: ['x'] },
        },
      ],
    });
    const label = (code: string, value: string, text: string) =>
      database.dataSource.manager.update(Option, { fieldId: built.fields[code]!.id, value }, { label: text });
    await label('colour', 'red', 'Red');
    await label('colour', 'white', 'White');
    await label('colour', 'both', 'Red, White');
    await label('other', 'a', 'Same');
    await label('other', 'b', 'Same');
    await label('kind', 'x', 'The X');
    const entity = await buildEntity(database.dataSource, built, { name: 'e', label: 'Entity' }, ['kind']);
    const uuid = uuidOf('b6', 1);
    await submit(built, { uuid, ...times }, { colour: 'red, white', other: 'a', status: 'x' });
    const record = await addRecord(built, entity, uuid);
    await submit(built, { uuid }, { kind: [[record, 'x']] });
    await submit(built, { uuid: uuidOf('b6', 2), ...times }, { colour: 'both', other: 'gone' });
    await submit(built, { uuid: uuidOf('b6', 3), ...times }, { colour: 'white,gone', other: 'Same (a)' });

    expect(rowsOf((await csvOf(built, '--labels')).stdout)).toEqual([
      'entity,entity_record_id,Colour (colour),Colour (other),status (status),kind',
      `Entity,${record},"Red, White",Same (a),x,The X`,
      ',,"""Red, White""",gone,,',
      ',,"""white,gone""",Same (a) (not an option),,',
    ]);
    const json = await csvOf(built, '--labels', '--records', 'json');
    expect(json.stdout).toContain(`""entity"":""Entity"",""values"":{""kind"":""The X""}`);
  });

  it('begins with a byte order mark for Excel, and reports cells that Excel would cut', async () => {
    const built = await buildForm(database.dataSource);
    await submit(built, { uuid: uuidOf('b7', 1), ...times }, { name: 'Ünïcode' });
    const { stdout, stderr } = await csvOf(built, '--excel');
    const plain = await csvOf(built);
    expect(stdout).toBe(`\uFEFF${plain.stdout}`);
    expect(stderr).toBe('Exported 1 submission.\n');

    await submit(built, { uuid: uuidOf('b7', 2), ...times }, { name: 'x'.repeat(32_768) });
    expect((await csvOf(built, '--excel')).stderr).toBe(
      'Exported 2 submissions.\n' +
        `1 cell is longer than the 32767 characters that Excel can hold, the first in "name" of the submission ${uuidOf('b7', 2)}.\n`,
    );
    expect((await csvOf(built)).stderr).toBe('Exported 2 submissions.\n');
  });

  it.each([['--labels'], ['--excel'], ['--records', 'rows']])(
    'is needed for the option %s',
    async (...words) => {
      expect(await run(['submissions', 'export', '--form', 'any', ...words])).toEqual({
        status: 1,
        stdout: '',
        stderr: `formtrail: "${words[0]}" is an option of CSV. Add "--format csv", or leave it out.\n`,
      });
    },
  );
});
