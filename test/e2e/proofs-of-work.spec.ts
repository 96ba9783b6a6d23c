import { createHash, createHmac } from 'node:crypto';
import type { Answer } from '../support/client.js';
import { itOnOneServer, onOneServer } from '../support/it-on-one-server.js';
import { publicForm } from '../support/respondents.js';
import { type Service, useOwnService, withServiceOn, useServiceOn } from '../support/service.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const VARIABLES = { CHALLENGE_KEY: KEY };
const use = useOwnService(VARIABLES);
const other = useServiceOn(use, VARIABLES);

interface Proof {
  readonly algorithm: unknown;
  readonly challenge: string;
  readonly number: unknown;
  readonly salt: string;
  readonly signature: string;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const sign = (challenge: string, key = KEY) => createHmac('sha256', key).update(challenge).digest('hex');
const encode = (proof: unknown) => Buffer.from(JSON.stringify(proof)).toString('base64');

type Built = Awaited<ReturnType<typeof publicForm>>;
const newForm = () => publicForm(use, { form: { proofOfWork: 1_000 } });

/** Gets a challenge and solves it as ALTCHA documents it: the SHA-256 of salt and number is the challenge. */
async function solve({ form }: Built): Promise<Proof> {
  const { status, body } = await use.service.anyone.get(`/api/v1/forms/${form.uuid}/challenge`);
  expect(status).toBe(200);
  const { algorithm, challenge, maxnumber, salt, signature } = body.data;
  let number = 0;
  while (sha256(`${String(salt)}${number}`) !== challenge) {
    number += 1;
    expect(number).toBeLessThanOrEqual(maxnumber);
  }
  return { algorithm, challenge, number, salt, signature };
}

/** Signs a challenge with this salt and number, as only the holder of the key can. */
function signed(salt: string, number: unknown = 123, key = KEY): Proof {
  const challenge = sha256(`${salt}${String(number)}`);
  return { algorithm: 'SHA-256', challenge, number, salt, signature: sign(challenge, key) };
}
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
const saltOf = ({ form }: Built, expires: unknown = inSeconds(300)) =>
  `0123456789abcdef?form=${form.uuid}&expires=${String(expires)}&`;

const attempt = ({ form }: Built, proof: unknown, { anyone }: Service = use.service): Promise<Answer> =>
  anyone.post('/api/v1/respondents', { form_uuid: form.uuid, proof });

const REFUSAL = {
  message: 'The given data was invalid.',
  errors: {
    proof: ['The proof is missing, wrong, expired or used. Get a new challenge, and send its solution.'],
  },
};
const seen = ({ status, body, headers }: Answer) => ({
  status,
  body,
  headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'x-ratelimit-remaining'].includes(name)),
});

onOneServer('GET /api/v1/forms/{uuid}/challenge', () => {
  it('is a challenge as ALTCHA publishes the format: SHA-256 and HMAC-SHA-256, for one form and 10 minutes', async () => {
    const form = await newForm();
    const { headers, body } = await use.service.anyone.get(`/api/v1/forms/${form.form.uuid}/challenge`);
    expect(headers.get('cache-control')).toBe('no-store');
    const { challenge, salt, signature } = body.data;
    expect(body).toEqual({
      data: {
        algorithm: 'SHA-256',
        challenge: expect.stringMatching(/^[0-9a-f]{64}$/),
        maxnumber: 1_000,
        salt: expect.stringMatching(/^[0-9a-f]{24}\?/),
        signature: sign(challenge),
      },
    });
    const parameters = new URLSearchParams(salt.split('?')[1]);
    expect(parameters.get('form')).toBe(form.form.uuid);
    const validFor = Number(parameters.get('expires')) - Date.now() / 1_000;
    expect(validFor).toBeGreaterThan(590);
    expect(validFor).toBeLessThanOrEqual(600);
    // Without this delimiter, the digits of the number could be moved into the expiry.
    expect(salt.endsWith('&')).toBe(true);
    expect(signature).toHaveLength(64);
  });

  it('is 404 for an unknown form and for a form that asks for no proof', async () => {
    const { form } = await publicForm(use);
    for (const [uuid, message] of [
      ['01890000-0000-7000-8000-000000000001', 'Form not found.'],
      ['none', 'Form not found.'],
      [form.uuid, 'Challenge not found.'],
    ]) {
      const { status, body } = await use.service.anyone.get(`/api/v1/forms/${uuid}/challenge`);
      expect({ status, body }).toEqual({ status: 404, body: { message } });
    }
  });
});

onOneServer('a proof of work', () => {
  it('that solves the challenge is accepted by any instance, in the format of the ALTCHA widget', async () => {
    const form = await newForm();
    const proof = { ...(await solve(form)), took: 41 };
    expect((await attempt(form, encode(proof), other)).status).toBe(201);
    // A proof that was computed with other means from salt, number and key is accepted, too.
    expect((await attempt(form, encode(signed(saltOf(form))))).status).toBe(201);
  });

  const solvedWith = (change: (proof: Proof) => object) => async (form: Built) => {
    const proof = await solve(form);
    return encode({ ...proof, ...change(proof) });
  };
  const REFUSED: Readonly<Record<string, (form: Built) => unknown>> = {
    'is missing': () => undefined,
    'is not base64': () => '%%%',
    'is not JSON': () => Buffer.from('{').toString('base64'),
    'has another number': solvedWith(({ number }) => ({ number: Number(number) + 1 })),
    'has the number as text': solvedWith(({ number }) => ({ number: String(number) })),
    'has a huge number': (form) => encode(signed(saltOf(form), 1e21)),
    'has no number': (form) => encode({ ...signed(saltOf(form)), number: undefined }),
    'has the signature in upper case': solvedWith(({ signature }) => ({
      signature: `A${signature.slice(1).toUpperCase()}`,
    })),
    'names another algorithm': solvedWith(() => ({ algorithm: 'SHA-1' })),
    'has a challenge of another form': async () => encode(await solve(await newForm())),
    'was signed with another key': (form) => encode(signed(saltOf(form), 123, 'another key')),
    'has expired': (form) => encode(signed(saltOf(form, inSeconds(-1)))),
    'has no expiry': ({ form }) => encode(signed(`0123?form=${form.uuid}&`)),
    'has a later expiry than was signed': solvedWith(({ salt }) => ({
      salt: salt.replace(/expires=\d+/, 'expires=9999999999'),
    })),
    'has parameters a second time': solvedWith(({ salt }) => ({ salt: `${salt}expires=9999999999&` })),
    'has a later expiry that is made of digits of the number': (form) => {
      // This is the attack on challenges without a delimiter: "…expires=1" and 23 are hashed as "…expires=12" and 3.
      const salt = saltOf(form, inSeconds(-1));
      const { number: _, ...proof } = signed(salt, 123);
      return encode({ ...proof, salt: `${salt}1`.replace('&1', '1'), number: 23 });
    },
    'is longer than 2,000 characters': solvedWith(() => ({ padding: 'x'.repeat(1_300) })),
    'has a salt of more than 300 characters': (form) => encode(signed(`${'a'.repeat(250)}${saltOf(form)}`)),
    'is a megabyte long': () => 'A'.repeat(2 ** 20 - 200),
  };

  let refusing: Built;
  let refusal: ReturnType<typeof seen>;
  beforeAll(async () => {
    refusing = await newForm();
    refusal = seen(await attempt(refusing, undefined));
  });

  it.each(Object.keys(REFUSED))('that %s gets one and the same 422', async (kind) => {
    const answer = await attempt(refusing, await REFUSED[kind]!(refusing));
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 422, body: REFUSAL });
    expect(seen(answer)).toEqual(refusal);
    expect(
      await use.database.dataSource.query('select from respondents where form_id = $1', [refusing.form.id]),
    ).toEqual([]);
  });

  it('that is no text is 422, too', async () => {
    for (const proof of [null, 1, ['x']]) expect((await attempt(refusing, proof)).status).toBe(422);
  });

  it('is accepted once, of 20 parallel calls on two instances, also in another notation', async () => {
    const form = await newForm();
    const proof = await solve(form);
    // The library appends the delimiter if it is missing, and the widget may send further properties.
    const notations = [proof, { ...proof, salt: proof.salt.slice(0, -1) }, { ...proof, took: 1 }].map(encode);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        attempt(form, notations[at % 3], at % 2 === 0 ? use.service : other),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of answers.filter(({ status }) => status !== 201))
      expect({ status, body }).toEqual({ status: 422, body: REFUSAL });
    expect(
      await use.database.dataSource.query('select from respondents where form_id = $1', [form.form.id]),
    ).toHaveLength(1);
  });

  it('is not spent if the respondent cannot be created', async () => {
    const form = await newForm();
    const proof = encode(await solve(form));
    const { dataSource } = use.database;
    await dataSource.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$;
      create trigger refuse before insert on respondents for each row execute function refuse()`);
    try {
      expect((await attempt(form, proof)).status).toBe(500);
    } finally {
      await dataSource.query('drop function refuse() cascade');
    }
    expect((await attempt(form, proof)).status).toBe(201);
  });

  it('costs no statement if it is wrong, and is not looked at if the form asks for none', async () => {
    const wrong = encode(signed(saltOf(refusing), 123, 'another key'));
    expect(await use.service.statementsDuring(() => attempt(refusing, wrong))).toEqual([]);
    expect((await attempt(await publicForm(use), 'nonsense')).status).toBe(201);
  });
});

itOnOneServer(
  'without CHALLENGE_KEY, a form that asks for a proof is 503 with Retry-After, and other forms are served',
  () =>
    withServiceOn(use.database, {}, async (service) => {
      const [asking, open] = [await newForm(), await publicForm(use)];
      for (const answer of [
        await service.anyone.get(`/api/v1/forms/${asking.form.uuid}/challenge`),
        await attempt(asking, 'x', service),
        await attempt(asking, undefined, service),
      ]) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        expect(answer.body).toEqual({ message: expect.any(String) });
      }
      expect((await attempt(open, undefined, service)).status).toBe(201);
    }),
);
