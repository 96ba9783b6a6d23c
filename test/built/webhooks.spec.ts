import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PATIENCE } from '../support/built-service.js';
import { ended, openCommandLine, type OpenCommandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { startReceiver } from '../support/receiver.js';

let { database, directory, start, run, close } = {} as OpenCommandLine;

beforeAll(async () => {
  ({ database, directory, start, run, close } = await openCommandLine());
}, 120_000);
afterAll(() => close());

async function json(...words: string[]): Promise<any> {
  const { status, stdout } = await run(words);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

describe('formtrail webhooks', () => {
  const variables = {
    WEBHOOK_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'info',
  };
  const webhooks = (...words: string[]) => run(['webhooks', ...words], variables);

  itOnOneServer('adds an endpoint, delivers to it, and redelivers a failed webhook', async () => {
    const receiver = await startReceiver();
    const added = await webhooks('add', '--url', receiver.url, '--events', 'submission.deleted');
    const stderr = 'Endpoint 1 receives webhooks of all forms from now on.\n';
    expect(added).toMatchObject({ status: 0, stderr });
    const secret = added.stdout.trim();
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(await webhooks('test', '1')).toMatchObject({ status: 0, stdout: 'Received: HTTP 204.\n' });
    receiver.verify(secret, receiver.received[0]!);
    const WEBHOOK_KEY = randomBytes(32).toString('base64');
    const withOtherKey = await run(['webhooks', 'test', '1'], { ...variables, WEBHOOK_KEY });
    expect(withOtherKey.stderr).toMatch(
      /The secret of endpoint 1 was encrypted with another WEBHOOK_KEY\. .*--now/,
    );
    const deliverer = start(['webhooks', 'deliver'], variables);
    const outcome = ended(deliverer);
    receiver.respond = (response) => void response.writeHead(410).end();
    const { form } = await buildForm(database.dataSource);
    await database.dataSource.query(
      `with new_user as (insert into users (email) values ('w@example.org') returning id)
       insert into submissions (uuid, form_id, user_id) select gen_random_uuid(), $1, id from new_user`,
      [form.id],
    );
    await database.dataSource.query('delete from submissions where form_id = $1', [form.id]);
    const failure = await eventually(
      'a failure',
      async () => {
        const given = 'select * from webhook_deliveries where next_attempt_at is null';
        const [found] = await database.dataSource.query(given);
        return found;
      },
      PATIENCE,
    );
    const { id, submission_uuid } = failure;
    expect(await json('webhooks', 'failures', '--json')).toEqual([
      {
        ...{ id, endpoint_id: 1, event: 'submission.deleted', submission_uuid, attempts: 1 },
        ...{ created_at: expect.stringMatching(/Z$/), last_error: 'HTTP 410' },
      },
    ]);
    expect(await json('webhooks', 'list', '--json')).toEqual([
      {
        ...{ id: 1, form: null, url: receiver.url, events: ['submission.deleted'], body: 'thin' },
        ...{ personal: true, status: 'disabled', disabled_reason: 'gone: the receiver responded with 410' },
        ...{ pending: 0, failed: 1 },
      },
    ]);

    receiver.respond = (response) => void response.writeHead(204).end();
    const rotated = (await webhooks('rotate', '1')).stdout.trim();
    expect(await webhooks('enable', '1')).toMatchObject({ stdout: 'Endpoint 1 is active.\n' });
    const redelivered = await webhooks('redeliver', '--endpoint', '1');
    expect(redelivered.stdout).toBe('1 webhook will be delivered.\n');
    const again = await eventually('another try', () => receiver.received[2], PATIENCE);
    expect(again.headers['webhook-id']).toBe(id);
    receiver.verify(secret, again);
    receiver.verify(rotated, again);
    deliverer.kill('SIGTERM');
    expect((await outcome).status).toBe(0);
    expect((await outcome).stdout).not.toContain('whsec_');
    const purged = await json('webhooks', 'purge', '--older-than', '1h', '--json');
    expect(purged).toEqual({ webhooks: 0, dry_run: false });
    expect(await webhooks('remove', '1')).toMatchObject({ status: 0, stdout: 'Endpoint 1 is removed.\n' });
    await receiver.close();
  });

  it.each([
    [['add', '--url', 'ftp://example.org'], 'It must be an http or https URL'],
    [['add', '--url', 'https://example.org', '--form', 'none'], 'There is no form with the slug "none"'],
    [['rotate', '7'], 'There is no endpoint with the id 7.'],
    [['redeliver'], 'Name a webhook, or --endpoint ID. "webhooks failures" shows both.'],
    [['redeliver', '--endpoint', '7'], 'There is no endpoint with the id 7.'],
    [['failures', '--endpoint', '7'], 'There is no endpoint with the id 7.'],
    [
      ['rotate', '7', '--overlap', '12h', '--now'],
      "option '--now' cannot be used with option '--overlap <duration>'",
    ],
  ])('%j fails with an explanation', async (words, sentence) => {
    const { status, stderr } = await webhooks(...words);
    expect(status).toBe(1);
    expect(stderr).toContain(sentence);
  });
});

describe('the code of docs/webhooks.md verifies signatures', () => {
  const page = readFileSync(path.resolve(__dirname, '../../docs/webhooks.md'), 'utf8');
  const codeIn = (language: string) =>
    new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';
  /** The example of the Standard Webhooks specification. */
  const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const TIMESTAMP = 1614265330;
  const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  const BODY = '{"test": 2432232314}';
  /** The arguments of each call, and the expected result. */
  type Call = [signatures: string, body: string, now: number, expected: boolean];
  const CALLS: Call[] = [
    [SIGNATURE, BODY, TIMESTAMP, true],
    [`v1,AAAA v2,x ${SIGNATURE}`, BODY, TIMESTAMP + 300, true],
    [SIGNATURE, BODY, TIMESTAMP + 301, false],
    [SIGNATURE, BODY, TIMESTAMP - 301, false],
    [SIGNATURE, `${BODY} `, TIMESTAMP, false],
    [SIGNATURE.replace('v1', 'v2'), BODY, TIMESTAMP, false],
    [`v1,${'A'.repeat(43)}=`, BODY, TIMESTAMP, false],
    ['', BODY, TIMESTAMP, false],
  ];
  const text = (one: string) => JSON.stringify(one);
  const quoted = (one: string) => `'${one}'`;

  /** The language, the file, the program with its first arguments, the text around the calls, and a call with its output. */
  const languages: [string, string, string[], (calls: string) => string, (call: Call) => string][] = [
    [
      'js',
      'verify.mjs',
      [process.execPath],
      (calls) => calls,
      ([signatures, body, now]) =>
        `console.log(verify('${SECRET}', '${ID}', '${TIMESTAMP}', ${text(signatures)}, Buffer.from(${text(body)}), ${now}));`,
    ],
    [
      'python',
      'verify.py',
      ['python3'],
      (calls) => calls,
      ([signatures, body, now]) =>
        `print(verify('${SECRET}', '${ID}', '${TIMESTAMP}', '${signatures}', b'${body}', ${now}))`,
    ],
    [
      'java',
      'Main.java',
      ['java'],
      (calls) => `class Main { public static void main(String[] none) throws Exception {\n${calls}\n} }`,
      ([signatures, body, now]) =>
        `System.out.println(Webhooks.verify("${SECRET}", "${ID}", "${TIMESTAMP}", "${signatures}", ${text(body)}.getBytes(), ${now}L));`,
    ],
    [
      'go',
      'main.go',
      ['go', 'run'],
      (calls) => `func main() {\n${calls}\n}`,
      ([signatures, body, now]) =>
        `os.Stdout.WriteString(strconv.FormatBool(Verify(${text(SECRET)}, ${text(ID)}, "${TIMESTAMP}", ${text(signatures)}, []byte(${text(body)}), time.Unix(${now}, 0))) + "\\n")`,
    ],
    [
      'perl',
      'verify.pl',
      ['perl'],
      (calls) => calls,
      ([signatures, body, now]) =>
        `print verify('${SECRET}', '${ID}', ${TIMESTAMP}, ${quoted(signatures)}, ${quoted(body)}, ${now}) ? "true\\n" : "false\\n";`,
    ],
  ];
  /** The languages that are installed on this machine, at least JavaScript. */
  const installed = languages.filter(
    ([, , [program = '']]) => spawnSync(program, ['--version']).error === undefined,
  );

  itOnOneServer('in the receiver for a laptop, to which the command line sends a test', async () => {
    const [, receiver = ''] = /^ {3}```js\n(.*?)^ {3}```/ms.exec(page) ?? [];
    const { url, close: release } = await startReceiver();
    await release();
    const { port } = new URL(url);
    const folder = await mkdtemp(path.join(directory, 'receiver-'));
    await writeFile(path.join(folder, 'verify.mjs'), codeIn('js'));
    await writeFile(path.join(folder, 'receiver.mjs'), receiver.replace('4000', port));
    const variables = { WEBHOOK_KEY: randomBytes(32).toString('base64'), WEBHOOK_ALLOW: '127.0.0.1' };
    const added = await run(['webhooks', 'add', '--url', url], variables);
    const [, id = ''] = /^Endpoint (\d+) /.exec(added.stderr) ?? [];
    const env = { PATH: process.env['PATH'], SECRET: added.stdout.trim() };
    const child = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    try {
      expect(await lines.next()).toMatchObject({ value: 'Listening' });
      const tested = await run(['webhooks', 'test', id], variables);
      expect(tested).toMatchObject({ status: 0, stdout: 'Received: HTTP 204.\n' });
      const value = expect.stringMatching(/^verified {"type":"webhook.test",.*"data":{}}$/) as unknown;
      expect(await lines.next()).toMatchObject({ value });
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    } finally {
      child.kill();
    }
  });

  it.each(installed)('in %s', async (language, file, [program = '', ...words], around, call) => {
    const code = codeIn(language);
    const calls = around(CALLS.map(call).join('\n'));
    // Java runs the first class of a file, so the calls precede the example's class.
    const [imports = ''] = language === 'java' ? (/^(import.*\n)+/.exec(code) ?? []) : [];
    const source = language === 'java' ? imports + calls + code.slice(imports.length) : `${code}\n${calls}\n`;
    const written = path.join(directory, file);
    await writeFile(written, source.replace(/^package webhooks$/m, 'package main\n\nimport "os"'));
    const { stdout, stderr } = spawnSync(program, [...words, written], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const expected = CALLS.map(([, , , isAccepted]) => String(isAccepted));
    expect(stdout.toLowerCase().trim().split('\n')).toEqual(expected);
  });
});
