import { readdir } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { exportSubmissions } from '../src/capabilities/exports/export-submissions.js';
import { HOOKS } from '../src/capabilities/retention/hooks.js';
import { createDataSource } from '../src/server/data-source.js';
import type { ExportExtension } from '../src/server/hooks.js';
import { Field } from '../src/entities.js';
import { useCommandLine } from './support/command-line.js';
import { addRecord, complete, store } from './support/draft-requests.js';
import { type Draft, newDraftOf } from './support/drafts.js';
import { filesFolder, PDF, storeFile } from './support/files.js';
import type { FormPlan } from './support/forms.js';
import { isOneServer, itOnOneServer } from './support/it-on-one-server.js';

const storage = filesFolder();
const use = useCommandLine(isOneServer ? { FILES_URL: storage.url } : {});
afterAll(() => storage.remove());

const query = <Row = never>(sql: string, ...values: unknown[]) =>
  use.database.dataSource.query<Row[]>(sql, values);

/** The values of `meta` and `phone` are personal, and so is the question whether there are allergies. */
const PLAN: FormPlan = {
  steps: [
    {
      meta: { label: 'Your name', isPersonal: true },
      city: { label: 'Your city' },
      allergic: { label: 'Allergic?', type: 'radio', options: ['yes', 'no'], isPersonal: true },
      meal: { label: 'Your meal', conditions: [['allergic', 'equals', 'yes', 'show']] },
      phone: { label: 'Phone', isRepeatable: true, isPersonal: true },
      role: { label: 'Role', isRepeatable: true },
    },
  ],
  entities: [{ name: 'guest', label: 'Guest', isRepeatable: true, of: ['phone', 'role'] }],
};

async function newAnswers(allergic = 'yes') {
  const draft = await newDraftOf(use, PLAN);
  const [{ email } = { email: '' }] = await query<{ email: string }>(
    'select email from users where id = $1',
    draft.userId,
  );
  expect((await draft.client.patch(draft.path, { meta: { source: 'Ada' } })).status).toBe(200);
  await store(draft, { meta: 'Ada', city: 'Oslo', allergic, meal: 'soup' });
  const record = await addRecord(draft, 'guest');
  await store(draft, { phone: '+47 1', role: 'cook' }, record);
  return { draft, email, record };
}

const exported = async ({ form }: Draft, ...words: string[]) => {
  const { status, stdout, stderr } = await use.run(['submissions', 'export', '--form', form.slug, ...words]);
  expect([status, stderr]).toEqual([0, 'Exported 1 submission.\n']);
  return stdout;
};

/** Expects that nothing of this is in the text. */
const expectNone = (text: string, ...secrets: string[]) =>
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);

describe('an export without personal data', () => {
  it('has in NDJSON neither the keys meta and user_email nor the values of personal fields, but all else', async () => {
    const { draft, email, record } = await newAnswers();
    expect((await complete(draft)).status).toBe(200);
    const whole = JSON.parse(await exported(draft));
    const text = await exported(draft, '--without-personal');
    const { meta, user_email, values, ...rest } = whole;
    expect([meta, user_email]).toEqual([{ source: 'Ada' }, email]);
    expect(JSON.parse(text)).toEqual({
      ...rest,
      values: values.filter(({ field_code }: any) => ['city', 'meal', 'role'].includes(field_code)),
    });
    expect(JSON.parse(text).records).toMatchObject([{ id: record, entity: 'guest' }]);
    expect(Object.keys(JSON.parse(text))).toEqual(
      Object.keys(whole).filter((key) => !['meta', 'user_email'].includes(key)),
    );
    expectNone(text, 'Ada', email, '+47', 'phone', 'allergic');
    const asShown = JSON.parse(await exported(draft, '--without-personal', '--as-shown'));
    expect(asShown.values.map(({ label, shown }: any) => [label, shown])).toEqual([
      ['Your city', 'Oslo'],
      ['Your meal', 'soup'],
      ['Role', 'cook'],
    ]);
  });

  it('has no such columns in CSV, and the other columns keep their names', async () => {
    const { draft, email, record } = await newAnswers();
    expect((await complete(draft)).status).toBe(200);
    const table = async (...words: string[]) => {
      const text = await exported(draft, '--format', 'csv', ...words);
      return text
        .trim()
        .split('\r\n')
        .map((line) => line.split(','));
    };
    const own = [
      'uuid',
      'status',
      'current_step',
      'created_at',
      'updated_at',
      'completed_at',
      'anonymized_at',
    ];
    own.push('begun_version', 'completed_version', 'locale');
    const [all] = await table();
    expect(all).toEqual([
      ...[...own, 'user_email', 'meta', 'entity', 'entity_record_id'],
      ...['values.meta', 'city', 'allergic', 'meal', 'phone', 'role'],
    ]);
    const [header, row, ...others] = await table('--without-personal');
    expect(header).toEqual([...own, 'entity', 'entity_record_id', 'city', 'meal', 'role']);
    expect([row!.slice(own.length), others]).toEqual([['guest', String(record), 'Oslo', 'soup', 'cook'], []]);
    for (const words of [
      ['--labels'],
      ['--as-shown'],
      ['--records', 'json'],
      ['--records', 'lines', '--labels'],
    ]) {
      const text = JSON.stringify(await table('--without-personal', ...words));
      expectNone(text, 'Ada', email, '+47', 'Your name', 'Allergic', 'Phone', 'phone', 'meta');
      expect(text).toContain('Oslo');
    }
    await query(
      'update fields set is_personal = false, code = $2 where id = $1',
      draft.fields['city']!.id,
      'user_email',
    );
    expect((await table('--without-personal'))[0]).toContain('values.user_email');
  });

  it('leaves out what is personal now, also of retired fields', async () => {
    const { draft } = await newAnswers();
    const codes = async () =>
      JSON.parse(await exported(draft, '--without-personal')).values.map(({ field_code }: any) => field_code);
    expect(await codes()).toEqual(['city', 'meal', 'role']);
    const { manager } = use.database.dataSource;
    await use.service.hearing(() =>
      manager.update(Field, draft.fields['city']!.id, { isPersonal: true, retiredAt: new Date() }),
    );
    await use.service.hearing(() => manager.update(Field, draft.fields['phone']!.id, { isPersonal: false }));
    expect(await codes()).toEqual(['meal', 'phone', 'role']);
  });

  it('without personal fields still has no meta and no address', async () => {
    const { draft, email } = await newAnswers();
    await query('update fields set is_personal = false where form_id = $1', draft.form.id);
    const { values, ...own } = JSON.parse(await exported(draft, '--without-personal'));
    expect(values).toHaveLength(6);
    expect(Object.keys(own)).toEqual(expect.not.arrayContaining(['meta', 'user_email']));
    expectNone(JSON.stringify(own), email);
  });

  it.each([
    ['yes', 'soup', false],
    ['no', '', true],
  ])(
    'of a draft with "%s" knows the hidden values, although the answer that hides them is left out',
    async (allergic, meal, isHidden) => {
      const { draft } = await newAnswers(allergic);
      const { values } = JSON.parse(await exported(draft, '--without-personal'));
      expect(values.find(({ field_code }: any) => field_code === 'meal').hidden ?? false).toBe(isHidden);
      const [header = '', row = ''] = (await exported(draft, '--without-personal', '--format', 'csv')).split(
        '\r\n',
      );
      expect(row.split(',')[header.split(',').indexOf('meal')]).toBe(meal);
    },
  );

  itOnOneServer('does not read the addresses of users', async () => {
    const { draft } = await newAnswers();
    const role = `formtrail_export_${randomBytes(4).toString('hex')}`;
    await query(`create role ${role} login; grant select on all tables in schema public to ${role}`);
    await query(`revoke select on users from ${role}`);
    const connection = { ...use.database.connection, options: `-c role=${role}` };
    const reader = await createDataSource(connection, { size: 1, deadlines: false }).initialize();
    const exportAll = async (part?: ExportExtension) => {
      let text = '';
      const selected = {
        slug: draft.form.slug,
        status: undefined,
        since: undefined,
        format: 'ndjson',
      } as const;
      const write = (one: string) => Promise.resolve(void (text += one));
      await exportSubmissions(reader, selected, write, part === undefined ? [] : [part]);
      return text;
    };
    try {
      await expect(exportAll()).rejects.toThrow('permission denied for table users');
      expect(await exportAll(await HOOKS.beginExport?.({ withoutPersonal: true }))).toContain('Oslo');
    } finally {
      await reader.destroy();
      await query(`drop owned by ${role}; drop role ${role}`);
    }
  });

  it('is recorded as such in the audit log', async () => {
    const { draft } = await newAnswers();
    await exported(draft);
    await exported(draft, '--without-personal');
    const acts = await query<{ detail: object }>(
      `select detail from audit_log where action = 'submissions.exported' and subject = $1 order by id`,
      `form:${draft.form.slug}`,
    );
    expect(acts.map(({ detail }) => 'without_personal' in detail)).toEqual([false, true]);
    expect(acts[1]).toMatchObject({ detail: { without_personal: true } });
  });

  itOnOneServer('has no file of a personal field, neither its name nor its content', async () => {
    const draft = await newDraftOf(use, {
      steps: [{ cv: { type: 'file', isPersonal: true }, plan: { type: 'file' }, note: {} }],
    });
    const own = await storeFile(draft.client, draft.path, PDF, {
      field_code: 'cv',
      name: 'ada-lovelace.pdf',
    });
    const other = await storeFile(draft.client, draft.path, Buffer.from('plan'), {
      ...{ field_code: 'plan', name: 'plan.txt', media_type: 'text/plain' },
    });
    // A text that equals the value of the personal field.
    await store(draft, { cv: own.value, plan: other.value, note: own.value });
    const folder = path.join(use.directory, draft.uuid);
    const exportTo = async (...words: string[]) => {
      const command = ['submissions', 'export', '--form', draft.form.slug, '--files', folder, ...words];
      const { status, stdout } = await use.run(command, { FILES_URL: storage.url });
      expect(status).toBe(0);
      return stdout;
    };
    const text =
      (await exportTo('--without-personal')) + (await exportTo('--without-personal', '--format', 'csv'));
    expect(text).toContain('plan.txt');
    expectNone(text, 'ada-lovelace');
    expect(await readdir(path.join(folder, draft.uuid))).toEqual([`${other.uuid}.txt`]);
    expect(await exportTo()).toContain('ada-lovelace');
    expect(await readdir(path.join(folder, draft.uuid))).toHaveLength(2);
  });
});
