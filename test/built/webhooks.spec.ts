import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
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
    const { status, stdout, stderr } = await webhooks(
      'add',
      '--url',
      receiver.url,
      '--events',
      'submission.deleted',
    );
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'Endpoint 1 receives webhooks of all forms from now on.\n',
    });
    const secret = stdout.trim();
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(await webhooks('test', '1')).toMatchObject({ status: 0, stdout: 'Received: HTTP 204.\n' });
    receiver.verify(secret, receiver.received[0]!);
    const WEBHOOK_KEY = randomBytes(32).toString('base64');
    expect(await run(['webhooks', 'test', '1'], { ...variables, WEBHOOK_KEY })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^formtrail: The secret of endpoint 1 was encrypted with another WEBHOOK_KEY\. .*--now.*\n$/,
      ),
    });

    const deliverer = start(['webhooks', 'deliver'], variables);
    const outcome = ended(deliverer);
    receiver.respond = (response) => void response.writeHead(410).end();
    const { form } = await buildForm(database.dataSource);
    const [user] = await database.dataSource.query(
      `insert into users (email) values ('w@example.org') returning id`,
    );
    await database.dataSource.query(
      'insert into submissions (uuid, form_id, user_id) values (gen_random_uuid(), $1, $2)',
      [form.id, user.id],
    );
    await database.dataSource.query('delete from submissions where form_id = $1', [form.id]);
    const [failure] = await eventually(
      'a failure',
      async () => {
        const failures = await database.dataSource.query(
          'select * from webhook_deliveries where next_attempt_at is null',
        );
        return failures.length > 0 && failures;
      },
      PATIENCE,
    );
    expect(await json('webhooks', 'failures', '--json')).toEqual([
      {
        id: failure.id,
        endpoint_id: 1,
        event: 'submission.deleted',
        submission_uuid: failure.submission_uuid,
        attempts: 1,
        created_at: expect.stringMatching(/Z$/),
        last_error: 'HTTP 410',
      },
    ]);
    expect(await json('webhooks', 'list', '--json')).toEqual([
      {
        id: 1,
        form: null,
        url: receiver.url,
        events: ['submission.deleted'],
        body: 'thin',
        status: 'disabled',
        disabled_reason: 'gone: the receiver responded with 410',
        pending: 0,
        failed: 1,
      },
    ]);

    receiver.respond = (response) => void response.writeHead(204).end();
    const rotated = (await webhooks('rotate', '1')).stdout.trim();
    expect(await webhooks('enable', '1')).toMatchObject({ stdout: 'Endpoint 1 is active.\n' });
    expect(await webhooks('redeliver', '--endpoint', '1')).toMatchObject({
      stdout: '1 webhook will be delivered.\n',
    });
    const again = await eventually('another try', () => receiver.received[2], PATIENCE);
    expect(again.headers['webhook-id']).toBe(failure.id);
    receiver.verify(secret, again);
    receiver.verify(rotated, again);
    deliverer.kill('SIGTERM');
    expect((await outcome).status).toBe(0);
    expect((await outcome).stdout).not.toContain('whsec_');
    expect(await json('webhooks', 'purge', '--older-than', '1h', '--json')).toEqual({
      webhooks: 0,
      dry_run: false,
    });
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
  const CALLS: [signatures: string, body: string, now: number, expected: boolean][] = [
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

  const languages: [string, string, string, (calls: typeof CALLS) => string][] = [
    [
      'js',
      process.execPath,
      'verify.mjs',
      (calls) =>
        calls
          .map(([signatures, body, now]) => {
            return `console.log(verify('${SECRET}', '${ID}', '${TIMESTAMP}', ${text(signatures)}, Buffer.from(${text(body)}), ${now}));`;
          })
          .join('\n'),
    ],
    [
      'python',
      'python3',
      'verify.py',
      (calls) =>
        calls
          .map(([signatures, body, now]) => {
            return `print(verify('${SECRET}', '${ID}', '${TIMESTAMP}', '${signatures}', b'${body}', ${now}))`;
          })
          .join('\n'),
    ],
    [
      'java',
      'java',
      'Main.java',
      (calls) =>
        `class Main { public static void main(String[] none) throws Exception {\n${calls
          .map(([signatures, body, now]) => {
            return `System.out.println(Webhooks.verify("${SECRET}", "${ID}", "${TIMESTAMP}", "${signatures}", ${text(body)}.getBytes(), ${now}L));`;
          })
          .join('\n')}\n} }`,
    ],
    [
      'go',
      'go',
      'main.go',
      (calls) =>
        `func main() {\n${calls
          .map(([signatures, body, now]) => {
            return `os.Stdout.WriteString(strconv.FormatBool(Verify(${text(SECRET)}, ${text(ID)}, "${TIMESTAMP}", ${text(signatures)}, []byte(${text(body)}), time.Unix(${now}, 0))) + "\\n")`;
          })
          .join('\n')}\n}`,
    ],
    [
      'perl',
      'perl',
      'verify.pl',
      (calls) =>
        calls
          .map(([signatures, body, now]) => {
            return `print verify('${SECRET}', '${ID}', ${TIMESTAMP}, ${quoted(signatures)}, ${quoted(body)}, ${now}) ? "true\\n" : "false\\n";`;
          })
          .join('\n'),
    ],
  ];
  /** The languages that are installed on this machine, at least JavaScript. */
  const installed = languages.filter(([, program]) => spawnSync(program, ['--version']).error === undefined);

  it.each(installed)('in %s', async (language, program, file, callsOf) => {
    const code = codeIn(language);
    const calls = callsOf(CALLS);
    // Java runs the first class of a file, so the calls precede the example's class.
    const [imports = ''] = language === 'java' ? (/^(import.*\n)+/.exec(code) ?? []) : [];
    const source = language === 'java' ? imports + calls + code.slice(imports.length) : `${code}\n${calls}\n`;
    await writeFile(
      path.join(directory, file),
      source.replace(/^package webhooks$/m, 'package main\n\nimport "os"'),
    );
    const words = [...(language === 'go' ? ['run'] : []), path.join(directory, file)];
    const { stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout.toLowerCase().trim().split('\n')).toEqual(
      CALLS.map(([, , , expected]) => String(expected)),
    );
  });
});
