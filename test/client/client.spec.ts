import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  ChangedError,
  FormtrailClient,
  InvalidError,
  NotFoundError,
  UnauthenticatedError,
} from '../../clients/typescript/src/index.js';
import { document } from '../support/documented.js';
import { buildEntity, buildForm } from '../support/forms.js';
import { newUser, useService } from '../support/service.js';
import { showIf } from '../support/show-if.js';

const CLIENTS = path.resolve(__dirname, '../../clients');

describe('the client', () => {
  const use = useService();

  async function clientOfNewUser() {
    const { plainToken } = await newUser(use);
    return new FormtrailClient({ url: use.service.url, token: () => Promise.resolve(plainToken) });
  }

  it('has a method for each operation of the OpenAPI document, with the same name', () => {
    const operations = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const methods = Object.getOwnPropertyNames(FormtrailClient.prototype);
    expect(methods.filter((name) => name !== 'constructor').sort()).toEqual(operations.sort());
  });

  it('reads forms without a token', async () => {
    const { form } = await buildForm(use.database.dataSource);
    const anyone = new FormtrailClient({ url: use.service.url });

    const page = await anyone.listForms({ per_page: 100 });
    expect(page.data.map(({ uuid }) => uuid)).toContain(form.uuid);
    expect(page.meta.per_page).toBe(100);
    const { data, etag } = await anyone.getForm(form.uuid);
    expect([data.slug, etag]).toEqual([form.slug, expect.stringMatching(/^".+"$/)]);
    expect((await anyone.getFormBySlug(form.slug)).data).toEqual(data);
    expect((await anyone.getFormSchema(form.uuid)).data.steps[0]?.fields[0]?.code).toBe('name');
    expect((await anyone.checkLiveness()).status).toBe('ok');
    expect((await anyone.checkReadiness()).checks.database).toBe('ok');
  });

  it('creates, fills in and completes a submission', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      steps: [{ name: { rules: { min_length: '2' } } }, { age: { isRequired: true } }],
    });
    const client = await clientOfNewUser();
    const field_id = fields['name']!.id;
    const etag = expect.stringMatching(/^".+"$/) as unknown;

    const created = await client.createSubmission(form.uuid);
    const { uuid } = created.data;
    const stored = await client.storeValues(uuid, [{ field_id, value: 'Ada' }], { ifMatch: created.etag });
    expect(stored.data).toEqual([{ field_id, field_code: 'name', value: 'Ada', entity_record_id: null }]);
    expect([created.etag, stored.etag]).toEqual([etag, etag]);
    expect(stored.etag).not.toBe(created.etag);

    expect((await client.resolveConditions(uuid)).data[field_id]).toEqual({ visible: true, required: false });
    const { data: states } = await client.resolveConditions(uuid, { shape: 'list', explain: true });
    expect(states[0]).toMatchObject({ field_code: 'name', is_visible: true, conditions_met: [] });

    const errors = { age: ['The age is required.'] };
    expect((await client.validateSubmission(uuid)).data).toMatchObject({
      valid: false,
      errors,
      mistakes: [{ field: 'age', code: 'required' }],
    });
    expect((await client.validateSubmission(uuid, { step: 1 })).data.mistakes).toEqual([]);
    expect((await client.advanceSubmission(uuid, { validate: true })).data).toMatchObject({
      current_step: 2,
      is_last_step: true,
    });
    expect((await client.retreatSubmission(uuid)).data).toMatchObject({ progress_percentage: 50 });
    await client.patchSubmission(uuid, { status: 'completed', meta: { from: 'test' } });
    const { data } = await client.getSubmission(uuid);
    expect([data.status, data.meta, data.values.length]).toEqual(['completed', { from: 'test' }, 1]);
  });

  it("lists the user's submissions page by page, and deletes a draft", async () => {
    const { form } = await buildForm(use.database.dataSource);
    const client = await clientOfNewUser();
    const uuids: string[] = [];
    while (uuids.length < 3) uuids.unshift((await client.createSubmission(form.uuid)).data.uuid);

    const first = await client.listSubmissions({ status: 'draft', per_page: 2 });
    expect(first.data.map(({ uuid }) => uuid)).toEqual(uuids.slice(0, 2));
    expect(first.data[0]?.form.name).toBe(form.name);
    const second = await client.listSubmissions({ status: 'draft', per_page: 2, cursor: first.cursor });
    expect([second.data.map(({ uuid }) => uuid), second.cursor]).toEqual([uuids.slice(2), undefined]);

    const [uuid = ''] = uuids;
    await expect(client.deleteSubmission(uuid, { ifMatch: '"x"' })).rejects.toThrow(ChangedError);
    await client.deleteSubmission(uuid);
    await expect(client.deleteSubmission(uuid)).rejects.toThrow(NotFoundError);
    expect((await client.listSubmissions({ form_uuid: form.uuid })).data).toHaveLength(2);
  });

  it('includes the conditions in the response, in the requested shape', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, { steps: [{ name: {} }, {}] });
    const client = await clientOfNewUser();
    const id = fields['name']!.id;
    const state = { visible: true, required: false };

    const { data, conditions } = await client.createSubmission(form.uuid, { include: 'conditions' });
    expect(conditions.data[id]).toEqual(state);
    const values = [{ field_id: id, value: 'Ada' }];
    const stored = await client.storeValues(data.uuid, values, { include: 'conditions' });
    expect([stored.conditions.data[id], stored.data.length]).toEqual([state, 1]);
    const read = await client.getSubmission(data.uuid, { include: 'conditions', shape: 'list' });
    expect(read.conditions.data[0]?.field_code).toBe('name');
    const next = await client.advanceSubmission(data.uuid, { include: 'conditions' });
    expect(next.conditions).toEqual({ data: { [id]: state }, form_version: form.version });
    const previous = await client.retreatSubmission(data.uuid, { include: 'conditions', scope: 'records' });
    expect(previous.conditions).toEqual({
      ...{ data: { [id]: state }, records: {} },
      form_version: form.version,
    });
    expect(await client.getSubmission(data.uuid)).not.toHaveProperty('conditions');
  });

  it('includes the states of steps and entities, and moves past hidden steps', async () => {
    const built = await buildForm(use.database.dataSource, {
      steps: [{ name: {} }, { extra: {} }, { last: {} }],
    });
    const entity = await buildEntity(use.database.dataSource, built, { name: 'more' }, ['extra']);
    await showIf(use.database.dataSource, built, { step: 2 }, 'name', 'Ada');
    await showIf(use.database.dataSource, built, { entityId: entity.id }, 'name', 'Ada');
    const client = await clientOfNewUser();
    const statesIf = (isShown: boolean) => ({
      steps: [1, 2, 3].map((step_number) => ({
        ...{ step_number, is_visible: isShown || step_number !== 2 },
        has_visible_fields: isShown || step_number !== 2,
      })),
      entities: [{ name: 'more', is_visible: isShown }],
    });

    const including = { include: 'conditions', steps: true } as const;
    const { data, conditions } = await client.createSubmission(built.form.uuid, including);
    expect({ steps: conditions.steps, entities: conditions.entities }).toEqual(statesIf(false));
    const next = await client.advanceSubmission(data.uuid, { skip: 'hidden', validate: true, ...including });
    expect(next.data).toMatchObject({ current_step: 3, is_last_step: true, progress_percentage: 100 });
    expect(next.conditions.steps).toHaveLength(3);
    expect((await client.retreatSubmission(data.uuid, { skip: 'hidden' })).data).toMatchObject({
      ...{ current_step: 1, is_last_step: false, progress_percentage: 50 },
    });
    await client.storeValues(data.uuid, [{ field_code: 'name', value: 'Ada' }]);
    expect(await client.resolveConditions(data.uuid, { steps: true })).toMatchObject(statesIf(true));
    expect(await client.resolveConditions(data.uuid)).not.toHaveProperty('steps');
    expect((await client.advanceSubmission(data.uuid, { skip: 'hidden' })).data.current_step).toBe(2);
  });

  it('adds and removes entries of a repeating group, and resolves their states', async () => {
    const { form } = await buildForm(use.database.dataSource);
    await use.database.dataSource.query(
      `insert into entities (form_id, name, label, is_repeatable) values ($1, 'receipt', 'Receipt', true)`,
      [form.id],
    );
    const client = await clientOfNewUser();
    const { uuid } = (await client.createSubmission(form.uuid)).data;
    const first = await client.createRecord(uuid, 'receipt');
    const second = await client.createRecord(uuid, 'receipt', { ifMatch: first.etag });
    expect((await client.listRecords(uuid, { entity: 'receipt' })).data).toEqual([first.data, second.data]);
    const { records } = await client.resolveConditions(uuid, { scope: 'records' });
    expect(Object.keys(records)).toEqual([`${first.data.id}`, `${second.data.id}`]);
    const { etag } = await client.deleteRecord(uuid, first.data.id, { ifMatch: second.etag });
    const submission = await client.getSubmission(uuid);
    expect([submission.etag, submission.data.records]).toEqual([etag, [second.data]]);
    await expect(client.deleteRecord(uuid, first.data.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  describe('rejects', () => {
    it('with UnauthenticatedError if the token is invalid or missing', async () => {
      for (const token of ['wrong', undefined]) {
        const client = new FormtrailClient({ url: use.service.url, token });
        const error: unknown = await client.getSubmission('0').catch((refused: unknown) => refused);
        expect(error).toBeInstanceOf(UnauthenticatedError);
        expect(error).toMatchObject({
          name: 'UnauthenticatedError',
          status: 401,
          message: 'Unauthenticated.',
          code: 'unauthenticated',
          requestId: expect.stringMatching(/./),
        });
      }
    });

    it('with NotFoundError for a form or a submission that does not exist', async () => {
      const client = await clientOfNewUser();
      await expect(client.getFormBySlug('none')).rejects.toThrow(NotFoundError);
      await expect(client.getSubmission(crypto.randomUUID())).rejects.toMatchObject({
        status: 404,
        code: 'submission_not_found',
      });
    });

    it('with InvalidError, which has the code and path of each field error', async () => {
      const { form } = await buildForm(use.database.dataSource);
      const client = await clientOfNewUser();
      const { uuid } = (await client.createSubmission(form.uuid)).data;
      const refused = client.storeValues(uuid, [{ field_code: 'other', value: 'x' }]);
      await expect(refused).rejects.toThrow(InvalidError);
      await expect(refused).rejects.toMatchObject({
        code: 'invalid_data',
        errors: [
          {
            field: 'values.0.field_code',
            code: 'unknown_field',
            detail: expect.stringMatching(/./),
            params: {},
          },
        ],
      });
      // The request is valid, but the state of the submission does not allow it.
      await expect(client.retreatSubmission(uuid)).rejects.toMatchObject({
        status: 422,
        code: 'already_on_first_step',
        errors: [],
      });
    });

    it('with ChangedError if the submission has changed since the given ETag', async () => {
      const { form } = await buildForm(use.database.dataSource);
      const client = await clientOfNewUser();
      const { data, etag } = await client.createSubmission(form.uuid);
      await client.patchSubmission(data.uuid, { meta: {} });
      await expect(client.patchSubmission(data.uuid, { meta: null }, { ifMatch: etag })).rejects.toThrow(
        ChangedError,
      );
    });
  });
});

describe('the packages', () => {
  it.each([
    ['typescript', []],
    // The build bundles @noble/hashes into the chunk for the proof of work, so formtrail-session does not depend on it.
    ['session', ['@noble/hashes/sha2.js', 'formtrail-client']],
    [
      'react',
      [
        'formtrail-session',
        'formtrail-session/inputs',
        'formtrail-session/resume-link',
        'formtrail-session/sentences',
        'react',
      ],
    ],
    // The bundle contains these packages, so formtrail-elements does not depend on them.
    [
      'elements',
      [
        'formtrail-client',
        'formtrail-session',
        'formtrail-session/inputs',
        'formtrail-session/resume-link',
        'formtrail-session/sentences',
        'preact',
      ],
    ],
  ])('import only the allowed packages, and no modules of Node.js: clients/%s', (name, others) => {
    const sources = path.join(CLIENTS, name, 'src');
    const imported = readdirSync(sources, { recursive: true })
      .map(String)
      .filter((file) => /\.tsx?$/.test(file) && file !== 'schema.ts')
      .flatMap((file) => [...readFileSync(path.join(sources, file), 'utf8').matchAll(/from '([^']+)'/g)])
      .map(([, from]) => from!);
    expect([...new Set(imported.filter((from) => !/^\.\.?\//.test(from)))].sort()).toEqual(others);
  });

  it.each([
    ['typescript', 3_000],
    // This size includes clients/typescript, but not the chunks that are loaded later: for files, for public forms, with the first answer,
    // and when the user moves.
    ['session', 10_000],
    ['session sentences', 4_000],
    // The file that every page loads, with everything that it bundles.
    ['elements', 36_000],
  ])('add little to a page, minified and compressed: clients/%s less than %i bytes', async (name, limit) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      path.join(CLIENTS, 'size.mjs'),
      ...name.split(' '),
    ]);
    expect(Number(stdout)).toBeGreaterThan(limit / 2);
    expect(Number(stdout)).toBeLessThan(limit);
  });
});
