import { exportForm } from '../../src/capabilities/definitions/export-form.js';
import { importForms } from '../../src/capabilities/definitions/import-forms.js';
import { createDraft, type Draft, newDraft } from '../support/drafts.js';
import { type DocumentedOperation, OPERATIONS } from '../support/operations.js';
import { sendHttp } from '../support/raw.js';
import { newUser, useOwnService } from '../support/service.js';
import { wholeDatabase } from '../support/whole-database.js';

/** Texts that would end a literal, an identifier, a comment, an array or a parameter in concatenated SQL. */
const PAYLOADS = [
  ...[`'`, `"`, `\\`, `\\'`, `$1`, `$$`, `/*`, `--`, `%`, `?`, `:name`, `{"a","b"}`, `NULL`, `","`],
  ...[`' or '1'='1`, `') or true or ('`, `'; drop table submissions; --`, `'||pg_sleep(9)||'`],
  ...[`' union select token_hash from api_tokens --`, `"; set role postgres; --`],
];
/** Texts that no header can contain. */
const BEYOND_ASCII = [`\u02bc or 1=1`, `\uff07 or 1=1 --`, `a\u2028'--`, `\ud83d\ude00'`, `\u0008'\u001b`];
const ALL = [...PAYLOADS, ...BEYOND_ASCII];

const use = useOwnService();
let draft: Draft;
let plainToken: string;

beforeAll(async () => {
  draft = await newDraft(use, [{ name: {}, note: { isRepeatable: true } }]);
  // Use the token of a user without access to the draft, so that no request writes to the draft.
  ({ plainToken } = await newUser(use));
});

describe.each(OPERATIONS)('the route $route', (operation) => {
  it('treats SQL in any parameter as text: nothing is written and no request gets 5xx', async () => {
    const before = await wholeDatabase(use.database.dataSource);
    const places = [...operation.parameters, { in: 'header', name: 'Authorization' }] as Place[];
    for (const place of places) {
      const texts = place.in === 'header' ? PAYLOADS : ALL;
      const answers = await Promise.all(texts.map((text) => askWith(operation, place, text)));
      const failed = texts.filter((_, index) => (answers[index]?.status ?? 500) >= 500);
      expect({ place, failed }).toEqual({ place, failed: [] });
    }
    expect(await wholeDatabase(use.database.dataSource)).toEqual(before);
  });
});

type Place = DocumentedOperation['parameters'][number];

/** Sends a request with this text in one parameter. Without an injection, the request writes nothing. */
function askWith({ method, path: route }: DocumentedOperation, place: Place, text: string) {
  const known: Record<string, string> = {
    uuid: route.includes('forms') ? draft.form.uuid : draft.uuid,
    slug: draft.form.slug,
    ...(place.in === 'path' && { [place.name]: encodeURIComponent(text) }),
  };
  const query = place.in === 'query' ? `?${place.name}=${encodeURIComponent(text)}` : '';
  return sendHttp(
    use.service.url,
    route.replace(/\{(\w+)\}/, (_, name: string) => known[name] ?? '') + query,
    {
      method,
      headers: {
        Authorization: `Bearer ${plainToken}`,
        'Content-Type': 'application/json',
        ...(place.in === 'header' && { [place.name]: text }),
      },
      body: method === 'GET' ? [] : ['{}'],
    },
  );
}

describe('SQL in a body', () => {
  const valueOf = ({ value }: { value: string }) => value;

  it('is stored and returned unchanged, in values, meta and keys of meta', async () => {
    const { client } = draft;
    const { path: own } = await createDraft(client, draft);
    for (const text of ALL) {
      const values = ['before', text, 'after'].map((value, at) => ({
        field_code: at === 1 ? 'name' : 'note',
        value,
      }));
      const stored = await client.post(`${own}/values`, { values });
      expect(stored.body.data.map(valueOf)).toEqual(['after', text, 'after']);
      const meta = { [text]: text, deep: [{ [text]: [text] }] };
      expect((await client.patch(own, { meta })).body.data.meta).toEqual(meta);
      const { body } = await client.get(own);
      expect(body.data.meta).toEqual(meta);
      expect(body.data.values.map(valueOf)).toEqual([text, 'after']);
    }
  });
});

it('text from a client is never part of a statement, only a parameter', async () => {
  const { client, path: own, form } = draft;
  const MARK = 'mark7f3a';
  const statements = await use.service.statementsDuring(async () => {
    const key = { 'Idempotency-Key': MARK };
    const values = [{ field_code: 'name', value: MARK }];
    await client.post(`${own}/values`, { values }, { 'If-Match': `"${MARK}"` });
    await client.post(`${own}/values`, { values });
    await client.patch(own, { meta: { [MARK]: MARK } });
    await client.post('/api/v1/submissions', { form_uuid: form.uuid }, key);
    await client.get(`/api/v1/forms/${MARK}/by-slug`);
  });
  const parameters = JSON.stringify(statements.map(({ values }) => values));
  expect(parameters.match(/mark7f3a/g)?.length).toBeGreaterThan(5);
  for (const { name } of statements) expect(name).not.toContain(MARK);
});

describe('SQL in text from operators', () => {
  it('is imported and exported unchanged, in every text of a form definition', async () => {
    const { dataSource } = use.database;
    for (const [index, text] of PAYLOADS.entries()) {
      const field_type = { name: text, component: 'text-input' };
      const condition = { depends_on_field_code: 'a', operator: 'in', value: text, action: 'show' };
      const field = { label: text, placeholder: text, description: text, default_value: text, field_type };
      const fields = [
        { ...field, code: 'a', entity: text, options: [{ label: text, value: text }] },
        { ...field, code: 'b', conditions: [condition] },
      ];
      const definition = {
        slug: `sql-${index}`,
        name: text,
        description: text,
        entities: [{ name: text, label: text }],
        steps: [{ step_number: 1, title: text, description: text, meta: { [text]: text }, fields }],
      };
      await importForms(dataSource, [{ name: text, text: JSON.stringify(definition) }]);
      expect(await exportForm(dataSource, definition.slug)).toMatchObject(definition);
    }
  });
});
