import { Field, Form, FormVersion, setActor } from '../../src/entities.js';
import { createDraft, type Draft, newDraft, newDraftOf } from '../support/drafts.js';
import type { ConditionPlan } from '../support/forms.js';
import { useService } from '../support/service.js';

const SUBMISSIONS = '/api/v1/submissions';
const IMMUTABLE = 'public, max-age=31536000, immutable';

const use = useService();
const manager = () => use.database.dataSource.manager;
const rename = (id: number, name: string) =>
  use.service.hearing(() => manager().update(Form, { id }, { name }));
const schemaOf = (uuid: string, version?: number | string, headers: Record<string, string> = {}) =>
  use.service.anyone.get(
    `/api/v1/forms/${uuid}/schema${version === undefined ? '' : `?version=${version}`}`,
    headers,
  );
/** The status and the bytes of the schema. */
const bytesOf = async (uuid: string, search = '') => {
  const response = await fetch(`${use.service.url}/api/v1/forms/${uuid}/schema${search}`);
  return { status: response.status, text: await response.text() };
};
const versionOf = async (id: number) => (await manager().findOneByOrFail(Form, { id })).version;

describe('form_version (N1)', () => {
  it('is the version that each response about a submission was made from', async () => {
    const { client, form, path, fields } = await newDraft(use, [{ name: {} }, { age: {} }]);
    const values = { values: [{ field_id: fields['name']!.id, value: 'Ada' }] };
    const sends = {
      create: () => client.post(SUBMISSIONS, { form_uuid: form.uuid }),
      get: () => client.get(path),
      nothing: () => client.patch(path, {}),
      meta: () => client.patch(path, { meta: { a: 1 } }),
      values: () => client.post(`${path}/values`, values),
      advance: () => client.post(`${path}/advance`),
      retreat: () => client.post(`${path}/retreat`),
      'advance?skip=hidden': () => client.post(`${path}/advance?skip=hidden`),
      'retreat?skip=hidden': () => client.post(`${path}/retreat?skip=hidden`),
      'advance?validate=true': () => client.post(`${path}/advance?validate=true`),
      validation: () => client.get(`${path}/validation`),
      records: () => client.get(`${path}/records`),
      conditions: () => client.get(`${path}/conditions`),
      'conditions?steps=true': () => client.get(`${path}/conditions?steps=true&scope=records&shape=list`),
      complete: () => client.patch(path, { status: 'completed' }),
    };
    const versions: Record<string, unknown> = {};
    for (const [name, send] of Object.entries(sends)) {
      await rename(form.id, `Before ${name}`);
      const { status, body } = await send();
      expect([name, status < 300]).toEqual([name, true]);
      versions[name] = body.form_version - (await versionOf(form.id));
    }
    expect(versions).toEqual(Object.fromEntries(Object.keys(sends).map((name) => [name, 0])));
  });
});

describe('begun_version and completed_version (N2)', () => {
  it('are the versions in which the submission was begun and completed', async () => {
    const { client, form } = await newDraft(use);
    const begun = await versionOf(form.id);
    const { body } = await client.post(SUBMISSIONS, { form_uuid: form.uuid });
    expect(body.data).toMatchObject({ begun_version: begun, completed_version: null });
    await rename(form.id, 'Changed');
    const path = `${SUBMISSIONS}/${body.data.uuid}`;
    expect((await client.patch(path, { meta: {} })).status).toBe(200);
    expect((await client.get(path)).body.data).toMatchObject({
      begun_version: begun,
      completed_version: null,
    });

    expect((await client.patch(path, { status: 'completed' })).body.form_version).toBe(begun + 1);
    const versions = { begun_version: begun, completed_version: begun + 1 };
    expect((await client.get(path)).body.data).toMatchObject(versions);
    const { body: list } = await client.get(`${SUBMISSIONS}?status=completed`);
    expect(list.data).toMatchObject([versions]);
  });

  it('stay as they are when a completed submission is written again', async () => {
    const { client, form, path } = await newDraft(use);
    await client.patch(path, { status: 'completed' });
    const completed = await versionOf(form.id);
    await rename(form.id, 'Changed');
    for (const changes of [{ status: 'completed' }, { meta: { a: 1 } }]) {
      expect((await client.patch(path, changes)).status).toBe(200);
      expect((await client.get(path)).body.data.completed_version).toBe(completed);
    }
    expect((await schemaOf(form.uuid, completed + 1)).status).toBe(404);
  });
});

describe.each(['lenient', 'strict'] as const)(
  'the schema of a version, with %s completion (N3)',
  (completion) => {
    const newOne = async () => {
      const draft = await newDraft(use, undefined, { completion });
      return { ...draft, version: await versionOf(draft.form.id) };
    };

    it('is kept when a submission is completed, and served byte for byte after the form has changed', async () => {
      const { client, form, path, version } = await newOne();
      const shown = await schemaOf(form.uuid);
      const { text } = await bytesOf(form.uuid);
      expect((await schemaOf(form.uuid, version)).body).toEqual({ message: 'Version not found.' });
      const old = { 'If-Match': '"2020-01-01T00:00:00.000000Z"' };
      expect((await client.patch(path, { status: 'completed' }, old)).status).toBe(412);
      expect((await schemaOf(form.uuid, version)).status).toBe(404);
      await client.patch(path, { status: 'completed' });
      await rename(form.id, 'Changed');

      const kept = await schemaOf(form.uuid, version);
      expect([kept.status, kept.body]).toEqual([200, shown.body]);
      expect((await bytesOf(form.uuid, `?version=${version}`)).text).toBe(text);
      expect(kept.headers.get('cache-control')).toBe(IMMUTABLE);
      expect(kept.headers.get('etag')).toBe(shown.headers.get('etag'));
      const known = await schemaOf(form.uuid, version, { 'If-None-Match': String(kept.headers.get('etag')) });
      expect([known.status, known.headers.get('cache-control')]).toEqual([304, IMMUTABLE]);
      expect((await schemaOf(form.uuid)).body.data.name).toBe('Changed');
      expect((await schemaOf(form.uuid, version + 1)).status).toBe(404);
    });

    it('is written once and read once, even by simultaneous requests', async () => {
      const { client, form, version } = await newOne();
      const sentDuring = async (name: string, work: () => Promise<unknown>) =>
        (await use.service.statementsDuring(work)).filter((sent) => sent.name === name).length;
      const complete = async () => {
        const { path } = await createDraft(client, { form, steps: [], fields: {} });
        return sentDuring('forms.keep_version', () => client.patch(path, { status: 'completed' }));
      };
      expect([await complete(), await complete()]).toEqual([1, 0]);
      const [row, ...others] = await manager().findBy(FormVersion, { formId: form.id });
      expect(others).toEqual([]);
      expect(row).toMatchObject({ version, changedBy: null });
      expect(row!.changedAt).toEqual((await manager().findOneByOrFail(Form, { id: form.id })).updatedAt);

      const read = () => Promise.all(Array.from({ length: 20 }, () => schemaOf(form.uuid, version)));
      const reads = await sentDuring('forms.version', async () => {
        for (const { status } of [...(await read()), ...(await read())]) expect(status).toBe(200);
      });
      expect(reads).toBe(1);
    });
  },
);

describe('?version', () => {
  it('that is no version is 422, and that of an unknown form 404', async () => {
    const { form } = await newDraft(use);
    const errors = { version: ['The version must be an integer from 1 to 2147483647.'] };
    for (const version of ['0', '-1', '1.5', 'x', '', '2147483648', '1&version=2']) {
      const { status, body } = await schemaOf(form.uuid, version);
      expect([version, status, body.errors]).toEqual([version, 422, errors]);
    }
    const { status, body } = await schemaOf('00000000-0000-4000-8000-000000000000', 1);
    expect([status, body]).toEqual([404, { message: 'Form not found.' }]);
  });
});

describe('the person who made a version (N7)', () => {
  it('is kept with the version, and not with the next one', async () => {
    const { client, form, path } = await newDraft(use);
    await use.service.hearing(() =>
      manager().transaction(async (panel) => {
        await setActor(panel, 'ada@example.com');
        await panel.update(Form, { id: form.id }, { name: 'By Ada' });
      }),
    );
    await client.patch(path, { status: 'completed' });
    const [kept] = await manager().findBy(FormVersion, { formId: form.id });
    expect(kept).toMatchObject({ version: await versionOf(form.id), changedBy: 'ada@example.com' });
    await rename(form.id, 'By nobody');
    expect((await manager().findOneByOrFail(Form, { id: form.id })).updatedBy).toBeNull();
  });
});

describe('an address with a version (N3)', () => {
  it('never has other bytes, although the form is deleted and created again with its UUID, or gets another UUID', async () => {
    const bytes = new Map<string, string>();
    const look = async (uuid: string) => {
      for (let version = 1; version <= 5; version += 1) {
        const { status, text } = await bytesOf(uuid, `?version=${version}`);
        const address = `${uuid} ${version}`;
        if (status === 200) expect(text).toBe(bytes.get(address) ?? text);
        if (status === 200) bytes.set(address, text);
      }
    };
    const complete = async ({ client, path }: Pick<Draft, 'client' | 'path'>) => {
      expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
    };
    const [first, other] = [await newDraft(use), await newDraft(use)];
    const { uuid } = first.form;
    const remove = (id: number) =>
      use.service.hearing(async () => {
        await manager().query('delete from submissions where form_id = $1', [id]);
        await manager().query('delete from forms where id = $1', [id]);
      });
    await rename(first.form.id, 'First');
    await complete(first);
    await look(uuid);
    await remove(first.form.id);

    const second = await newDraft(use, undefined, { uuid });
    await complete(second);
    await look(uuid);
    await remove(second.form.id);

    await complete(other);
    await look(other.form.uuid);
    await use.service.hearing(() => manager().update(Form, { id: other.form.id }, { uuid }));
    await look(uuid);
    await look(other.form.uuid);
    const moved = await manager().findOneByOrFail(Form, { id: other.form.id });
    await complete({ ...other, ...(await createDraft(other.client, { ...other, form: moved })) });
    await look(uuid);
    expect([...bytes.keys()].toSorted()).toEqual(
      [`${uuid} 2`, `${uuid} 3`, `${uuid} 4`, `${other.form.uuid} 1`].toSorted(),
    );
  });
});

describe('a retired field (N6)', () => {
  const retire = (id: number, retiredAt: Date | null) =>
    use.service.hearing(() => manager().update(Field, { id }, { retiredAt }));

  it('leaves the schema and completion; conditions on it are never met; its values stay; it comes back', async () => {
    const { client, form, path, fields } = await newDraft(use, [
      {
        kind: {},
        reason: { isRequired: true },
        detail: { isRequired: true, conditions: [['kind', 'equals', 'x', 'show']] },
        other: { conditions: [['kind', 'not_equals', 'x', 'hide']] },
      },
    ]);
    await use.service.hearing(() => manager().update(Form, { id: form.id }, { completion: 'strict' }));
    const [kind, reason, detail, other] = ['kind', 'reason', 'detail', 'other'].map(
      (code) => fields[code]!.id,
    );
    const store = (code: string) =>
      client.post(`${path}/values`, { values: [{ field_code: code, value: 'a' }] });
    expect((await store('kind')).status).toBe(200);
    expect((await client.patch(path, { status: 'completed' })).status).toBe(422);
    const version = await versionOf(form.id);

    await retire(kind!, new Date());
    await retire(reason!, new Date());

    const { body } = await schemaOf(form.uuid);
    expect(body.data.version).toBe(version + 2);
    const onKind = { depends_on_field_id: kind, depends_on_field_code: 'kind' };
    expect(body.data.steps[0].fields).toMatchObject([
      { code: 'detail', conditions: [{ ...onKind, operator: 'equals', value: 'x', action: 'show' }] },
      { code: 'other', conditions: [{ ...onKind, operator: 'not_equals', value: 'x', action: 'hide' }] },
    ]);
    expect((await client.get(`${path}/conditions?shape=map&explain=true`)).body.data).toEqual({
      [String(detail)]: { visible: false, required: false, conditions_met: [] },
      [String(other)]: { visible: true, required: false, conditions_met: [] },
    });
    expect((await client.get(path)).body.data.values).toMatchObject([
      { field_id: kind, field_code: 'kind', value: 'a' },
    ]);
    for (const entry of [{ field_code: 'kind' }, { field_id: kind }]) {
      const refused = await client.post(`${path}/values`, { values: [{ ...entry, value: 'b' }] });
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([
        422,
        [`values.0.${Object.keys(entry)[0]}`],
      ]);
    }
    expect((await client.get(`${path}/validation`)).body.data.valid).toBe(true);

    await retire(kind!, null);
    expect((await store('kind')).status).toBe(200);
    expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
    const codes = (await schemaOf(form.uuid)).body.data.steps[0].fields.map(({ code }: Field) => code);
    expect(codes).toEqual(['kind', 'detail', 'other']);
  });

  it('hides a step and an entity that only conditions on it show, and an explanation names it by its code', async () => {
    const showIfNoKind: ConditionPlan[] = [['kind', 'empty', '', 'show']];
    const { client, path, fields } = await newDraftOf(use, {
      steps: [{ kind: {} }, { page: {} }, { item: { isRepeatable: true } }],
      stepConditions: { 2: showIfNoKind },
      entities: [{ name: 'thing', isRepeatable: true, of: ['item'], conditions: showIfNoKind }],
    });
    const { body: record } = await client.post(`${path}/records`, { entity: 'thing' });
    await retire(fields['kind']!.id, new Date());

    const { body } = await client.get(`${path}/conditions?shape=map&explain=true&scope=records&steps=true`);
    const conditions = [{ depends_on_field_code: 'kind', operator: 'empty', value: '', action: 'show' }];
    const hidden = { visible: false, required: false, conditions_met: [] };
    const item = {
      [String(fields['item']!.id)]: { ...hidden, hidden_by: [{ entity: 'thing', conditions }] },
    };
    expect(body).toMatchObject({
      data: {
        [String(fields['page']!.id)]: { ...hidden, hidden_by: [{ step_number: 2, conditions }] },
        ...item,
      },
      records: { [record.data.id]: item },
      steps: [{ is_visible: true }, { is_visible: false }, { is_visible: true, has_visible_fields: false }],
      entities: [{ name: 'thing', is_visible: false }],
    });
  });
});
