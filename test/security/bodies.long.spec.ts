import { createDraft } from '../support/drafts.js';
import { type BuiltForm, buildForm } from '../support/forms.js';
import { sendHttp } from '../support/raw.js';
import { newUser, useOwnService } from '../support/service.js';

const MIB = 1_048_576;

const use = useOwnService();
let built: BuiltForm;
let user: Awaited<ReturnType<typeof newUser>>;
let draft: { uuid: string; path: string };

beforeAll(async () => {
  built = await buildForm(use.database.dataSource);
  user = await newUser(use);
  draft = await createDraft(user.client, built);
});

/** Bodies of a given size that are as expensive as possible. */
const HOSTILE: [string, (size: number) => string][] = [
  ['arrays in arrays', (size) => '['.repeat(size / 2) + ']'.repeat(size / 2)],
  ['objects in objects', (size) => '{"a":'.repeat(size / 6) + '1' + '}'.repeat(size / 6 - 1)],
  ['nesting that never ends', (size) => `{"meta": ${'['.repeat(size - 10)}`],
  ['as many keys as fit', (size) => `{"meta": {${fill(size, (i) => `"k${i}":1`)}}}`],
  ['keys that are numbers', (size) => `{"meta": {${fill(size, (i) => `"${i * 7}":1`)}}}`],
  ['the same key again and again', (size) => `{"meta": {${fill(size, () => '"a":1')}}}`],
  ['a number of that many digits', (size) => `{"meta": {"a": ${'9'.repeat(size - 20)}}}`],
  ['a fraction of that many digits', (size) => `{"meta": {"a": 0.${'9'.repeat(size - 20)}}}`],
  ['an exponent of that many digits', (size) => `{"meta": {"a": 1e${'9'.repeat(size - 20)}}}`],
  ['escapes', (size) => `{"values": [{"field_code": "name", "value": "${'\\u00e9'.repeat(size / 6 - 9)}"}]}`],
  ['backslashes', (size) => `{"status": "${'\\\\'.repeat(size / 2 - 9)}"}`],
  ['quotes without an end', (size) => `{"status": ${'"'.repeat(size - 20)}`],
  ['white space', (size) => `${' '.repeat(size - 2)}{}`],
  ['entries that are empty objects', (size) => `{"values": [${fill(size, () => '{}')}]}`],
  ['entries that are numbers', (size) => `{"values": [${fill(size, () => '0')}]}`],
];

/** Returns as many elements, separated by commas, as fit into this size. */
function fill(size: number, elementOf: (index: number) => string): string {
  const elements: string[] = [];
  for (let left = size - 20; ;) {
    const element = elementOf(elements.length);
    left -= element.length + 1;
    if (left < 0) return elements.join(',');
    elements.push(element);
  }
}

/**
 * Throws if four times the size takes at least eight times as long, like quadratic work. Measures repeatedly, because
 * other work on the machine can disturb it. Work that is not linear fails all attempts.
 */
async function expectLinear(work: (size: number) => Promise<void>, size = MIB) {
  const ratios: number[] = [];
  while (ratios.length < 10) {
    const small = await milliseconds(() => work(size / 4));
    const ratio = (await milliseconds(() => work(size))) / small;
    if (ratio < 8) return;
    ratios.push(ratio);
  }
  throw new Error(`Four times the size takes longer by ${ratios.map(Math.round).join(', ')}`);
}

async function milliseconds(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

describe('the response time for a body of up to 1 MiB is linear in its length', () => {
  it.each(HOSTILE)('%s', async (_, bodyOf) => {
    for (const [method, path] of [
      ['PATCH', draft.path],
      ['POST', `${draft.path}/values`],
    ] as const) {
      await expectLinear(async (size) => {
        const { status } = await user.client.send(method, path, bodyOf(size));
        expect(status).toBeLessThan(500);
      });
    }
  });
});

describe('text for the regular expressions of the service is matched in time linear in its length', () => {
  const REPEATED = ['a', 'a-', '0', '"', 'W/"', ' ', '%20', ':'];
  const form = () => `/api/v1/forms/${built.form.uuid}`;
  // Each text ends in a character that does not match, because vulnerable expressions are slow only if they fail.
  const places: [string, (text: string) => { path: string; method?: string; headers?: object }][] = [
    ['a slug', (text) => ({ path: `/api/v1/forms/${encodeURI(text)}!/by-slug` })],
    ['a UUID', (text) => ({ path: `/api/v1/submissions/${encodeURI(text)}!` })],
    ['an unknown path', (text) => ({ path: `/api/v1/${encodeURI(text)}!` })],
    ['a number of a page', (text) => ({ path: `/api/v1/forms?page=${encodeURI(text)}!` })],
    ['a query', (text) => ({ path: `/api/v1/forms?${encodeURI(text)}!` })],
    ['Authorization', (text) => ({ path: draft.path, headers: { Authorization: `Bearer ${text} !` } })],
    ['If-Match', (text) => ({ path: draft.path, headers: { 'If-Match': `${text}!` } })],
    ['If-None-Match', (text) => ({ path: form(), headers: { 'If-None-Match': `${text}!` } })],
    [
      'Idempotency-Key',
      (text) => ({
        path: `${draft.path}/advance`,
        method: 'POST',
        headers: { 'Idempotency-Key': `${text}\u00ff` },
      }),
    ],
    ['Host', (text) => ({ path: form(), headers: { Host: `${text}!` } })],
    ['Origin', (text) => ({ path: form(), headers: { Origin: `${text}!` } })],
  ];

  it.each(places)('%s', async (_, requestOf) => {
    for (const repeated of REPEATED) {
      const ask = async (size: number) => {
        // The text must fit into the head of a request, in which each percent-escape takes three bytes.
        const text = repeated.repeat(size / encodeURI(repeated).length);
        const { path, method = 'GET', headers } = requestOf(text);
        const { status } = await sendHttp(use.service.url, path, {
          method,
          headers: { Authorization: `Bearer ${user.plainToken}`, ...headers },
        });
        expect([431, 500]).not.toContain(status);
      };
      // Test a small size first, because an exponential expression would never finish at full size.
      for (const size of [28, 15_000]) await expectLinear(ask, size);
    }
  });
});
