import { type Draft, newDraft } from '../support/drafts.js';
import { OPERATIONS } from '../support/operations.js';
import { expectInvalid } from '../support/refusal.js';
import { useService } from '../support/service.js';

const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'toJSON'];
const CONTENTS = ['{"polluted": true}', '{"__proto__": {"polluted": true}}', 'null'];
/** Members of JSON objects that could pollute a prototype. */
const MEMBERS = KEYS.flatMap((key) => CONTENTS.map((content) => `"${key}": ${content}`));

const use = useService();
let draft: Draft;
beforeAll(async () => {
  // Field codes that are also names of properties of every object.
  draft = await newDraft(use, [{ constructor: {}, toString: {}, ['__proto__']: {}, name: {} }]);
});

const PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const shapeOf = (prototype: object) =>
  Reflect.ownKeys(prototype).map((key) => [key, Reflect.getOwnPropertyDescriptor(prototype, key)]);
const untouched = PROTOTYPES.map(shapeOf);

afterEach(() => {
  expect(PROTOTYPES.map(shapeOf)).toEqual(untouched);
});

describe('a key that is also a property of every object', () => {
  it('is ignored at any level of a body and changes no prototype', async () => {
    const { client, path, form } = draft;
    for (const member of MEMBERS) {
      for (const [method, target, own, status] of [
        ['POST', '/api/v1/submissions', `"form_uuid": "${form.uuid}"`, 201],
        ['PATCH', path, '"status": "draft"', 200],
        ['POST', `${path}/values`, `"values": [{"field_code": "name", "value": "x", ${member}}]`, 200],
        ['POST', `${path}/advance`, '"a": {}', 422],
      ] as const) {
        const body = `{${member}, ${own}, "other": {${member}, "deep": [{${member}}]}}`;
        const answer = await client.send(method, target, body);
        expect({ body, status: answer.status }).toEqual({ body, status });
      }
    }
  });

  it('does not supply a property that an object lacks', async () => {
    const { client, path, form } = draft;
    for (const inherited of ['"__proto__": ', '"constructor": ', '"constructor": {"prototype": '].map(
      (start) => (own: string) => `{${start}{${own}}${start.endsWith('"prototype": ') ? '}' : ''}}`,
    )) {
      const body = inherited(`"form_uuid": "${form.uuid}"`);
      expectInvalid(await client.send('POST', '/api/v1/submissions', body), 'form_uuid');
      expectInvalid(await client.send('POST', `${path}/values`, inherited('"values": []')), 'values');
      const patch = await client.send('PATCH', path, inherited('"status": "completed"'));
      expect(patch.body.data.status).toBe('draft');
      const entry = inherited('"field_code": "name", "value": "x"');
      expectInvalid(
        await client.send('POST', `${path}/values`, `{"values": [${entry}]}`),
        'values.0.field_id',
        'values.0.value',
      );
    }
  });

  it('is ignored in a query and changes no prototype', async () => {
    for (const key of KEYS) {
      for (const query of [`${key}=1`, `${key}[polluted]=1`, `${key}.polluted=1`, `${key}=1&${key}=2`]) {
        for (const { path } of OPERATIONS.filter(({ method }) => method === 'GET')) {
          // The form asks for no proof of work, so it has no challenge.
          if (path.includes('{file}') || path.endsWith('/challenge')) continue;
          const target = path.replace('{uuid}', path.includes('forms') ? draft.form.uuid : draft.uuid);
          const { status } = await draft.client.get(`${target.replace('{slug}', draft.form.slug)}?${query}`);
          expect({ query, path, status }).toEqual({ query, path, status: 200 });
        }
      }
    }
  });

  it('is stored in meta like any other, at every level', async () => {
    const { client, path } = draft;
    for (const member of MEMBERS) {
      const meta = `{${member},"deep":[{${member}}]}`;
      const patched = await client.send('PATCH', path, `{"meta": ${meta}}`);
      expect(patched.status).toBe(200);
      for (const { body } of [patched, await client.get(path)]) {
        expect(JSON.stringify(body.data.meta)).toBe(JSON.stringify(JSON.parse(meta)));
      }
    }
  });

  it('is a field code like any other if the form has such a field, and unknown otherwise', async () => {
    const { client, path } = draft;
    const store = (field_code: string) =>
      client.post(`${path}/values`, { values: [{ field_code, value: `of ${field_code}` }] });
    for (const code of ['constructor', 'toString', '__proto__']) {
      const { body } = await store(code);
      expect(body.data).toEqual([expect.objectContaining({ field_code: code, value: `of ${code}` })]);
    }
    for (const code of ['prototype', 'hasOwnProperty', 'valueOf', 'size', 'length', '']) {
      expectInvalid(await store(code), 'values.0.field_code');
    }
    const { body } = await client.get(`${path}/conditions?shape=list`);
    expect(body.data.map(({ field_code }: { field_code: string }) => field_code)).toEqual([
      ...['constructor', 'toString', '__proto__', 'name'],
    ]);
  });
});
