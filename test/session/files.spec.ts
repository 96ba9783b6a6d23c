import type { SendContent } from 'formtrail-client';
import { eventually } from '../support/eventually.js';
import { filesFolder, PDF } from '../support/files.js';
import { buildEntity, type FieldPlan } from '../support/forms.js';
import { type Proxy, startProxy } from '../support/proxy.js';
import { startService, useService, withServiceOn } from '../support/service.js';
import { BUCKET, s3Server } from '../support/s3-server.js';
import { newPerson, type Window } from './support/person.js';
import { onOneServer as describe } from '../support/it-on-one-server.js';

const storage = filesFolder();
const use = useService({ FILES_URL: storage.url });
afterAll(() => storage.remove());

const STEPS: Record<string, FieldPlan>[] = [
  {
    cv: { type: 'file', isRequired: true, accept: 'application/pdf, .docx', maxBytes: 1_000_000 },
    photo: { type: 'file', accept: 'image/*' },
    letter: { type: 'file' },
    work: { type: 'file' },
  },
  { note: {} },
];

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const file = (name: string, content: Buffer = PDF, type = 'application/pdf') =>
  new File([new Uint8Array(content)], name, { type });

/** A `sendContent` that reports half of each upload as sent, but sends the content only after `open()` is called. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  let [inFlight, max] = [0, 0];
  const sendContent: SendContent = async (request, content, onProgress) => {
    max = Math.max(max, (inFlight += 1));
    onProgress(Math.floor(content.size / 2));
    await opened;
    const response = await fetch(request);
    inFlight -= 1;
    return response;
  };
  return { sendContent, open, max: () => max, inFlight: () => inFlight };
}

const held = (window: Window, key: string) =>
  eventually(`${key} has a file`, () => window.question(key)?.file?.is_ready);

/** Returns the names and states of the submission's files in the database. */
async function storedFiles(window: Window) {
  const rows = await use.database.dataSource.query<{ name: string; state: string }[]>(
    'select name, state from files where submission_uuid = $1 order by name',
    [window.shown.submission],
  );
  return rows.map(({ name, state }) => `${name} ${state}`);
}

describe('files of a draft', () => {
  it('are uploaded, three at a time, and become the answers', async () => {
    const { sendContent, open, max, inFlight } = gate();
    const person = await newPerson(use, STEPS, { form: { completion: 'strict' } });
    const window = await person.open({ sendContent });
    const { draft } = window;
    draft.upload('cv', file('cv.pdf'));
    draft.upload('photo', file('me.png', PNG, 'image/png'));
    draft.upload('letter', file('letter.txt', Buffer.from('Dear all'), 'text/plain;charset=utf-8'));
    draft.upload('work', file('work.zip', Buffer.alloc(10_000), ''));
    await eventually('three are in flight', () => inFlight() === 3);
    expect(window.question('cv')).toMatchObject({
      value: '',
      file: undefined,
      upload: { name: 'cv.pdf', size: PDF.length, sent: Math.floor(PDF.length / 2), state: 'uploading' },
    });
    expect(window.question('work')?.upload).toMatchObject({ sent: 0, state: 'waiting' });
    expect(window.shown).toMatchObject({ isUploading: true, saving: { kind: 'saving' } });

    const moving = draft.next();
    expect(window.shown.busy).toBe('moving');
    open();
    expect(await moving).toBe('done');
    expect([max(), window.shown.isUploading, window.shown.step?.position]).toEqual([3, false, 2]);
    const [step] = window.shown.steps;
    expect(
      step?.blocks.map((block) => block.kind === 'question' && [block.file?.name, block.file?.media_type]),
    ).toEqual([
      ['cv.pdf', 'application/pdf'],
      ['me.png', 'image/png'],
      ['letter.txt', 'text/plain'],
      ['work.zip', 'application/octet-stream'],
    ]);
    expect(await draft.complete()).toBe('done');
    const { values } = await person.stored(window);
    expect(values).toHaveLength(4);
    for (const { value } of values) expect(value).toMatch(/^file:/);

    // A reopened draft shows the names of the files.
    const again = await person.open({ submission: window.shown.submission });
    await eventually('the name is known', () => {
      const [question] = again.shown.steps[0]?.blocks ?? [];
      return question?.kind === 'question' && question.file?.name === 'cv.pdf';
    });
    expect(again.requests.filter((request) => request === 'GET files')).toHaveLength(1);
  });

  it.each([
    [
      'is too large',
      file('cv.pdf', Buffer.alloc(1_000_001)),
      'too_large',
      { max: 1_000_000, size: 1_000_001 },
    ],
    [
      'has another type',
      file('cv.png', PNG, 'image/png'),
      'type_mismatch',
      { accept: 'application/pdf, .docx' },
    ],
  ])(
    'that the schema does not allow are rejected without a request, if one %s',
    async (_, refused, code, params) => {
      const person = await newPerson(use, STEPS);
      const window = await person.open();
      const { draft } = window;
      const sent = window.requests.length;
      draft.upload('cv', refused);
      expect(window.question('cv')).toMatchObject({
        value: '',
        mistake: { field: 'cv', code, params },
        upload: { name: refused.name, state: 'refused', mistake: { code } },
      });
      expect(window.shown).toMatchObject({ isUploading: false, saving: { kind: 'incomplete' } });
      expect(await draft.next()).toBe('mistakes');
      expect(window.shown.mistakes).toMatchObject([{ key: 'cv', position: 1, mistake: { code } }]);
      expect(window.requests.slice(sent)).toEqual([]);

      draft.cancelUpload('cv');
      expect(window.question('cv')).toMatchObject({ mistake: undefined, upload: undefined });
      draft.upload('cv', refused);
      draft.upload('cv', file('CV.PDF', PDF, 'Application/PDF'));
      await held(window, 'cv');
      expect(window.shown.mistakes).toEqual([]);
    },
  );

  it('without a media type, or with the type of the program that opens them, are accepted by their content', async () => {
    const person = await newPerson(use, [
      {
        cv: { type: 'file', accept: 'application/pdf' },
        list: { type: 'file', accept: 'text/csv' },
        table: { type: 'file', accept: '.csv' },
      },
    ]);
    const window = await person.open();
    window.draft.upload('cv', file('cv.pdf', PDF, ''));
    window.draft.upload('list', file('list.csv', Buffer.from('a,b'), 'application/vnd.ms-excel'));
    window.draft.upload('table', file('table.csv', Buffer.from('a,b'), 'application/vnd.ms-excel'));
    for (const [key, type] of [
      ['cv', 'application/pdf'],
      ['list', 'text/csv'],
      ['table', 'text/csv'],
    ] as const) {
      await held(window, key);
      expect(window.question(key)?.file?.media_type).toBe(type);
    }
  });

  it('that are recordings are sounds, although browsers may report films', async () => {
    const person = await newPerson(use, [
      { spoken: { type: 'file', accept: 'audio/*' }, chosen: { type: 'file', accept: 'audio/*' } },
    ]);
    const window = await person.open();
    const recording = Buffer.from(
      '1a45dfa39b4286810142f7810142f2810442f381084282847765626d42878104' + '00'.repeat(32),
      'hex',
    );
    window.draft.upload('spoken', file('voice.webm', recording, 'audio/webm;codecs=opus'));
    window.draft.upload('chosen', file('voice.webm', recording, 'video/webm'));
    for (const key of ['spoken', 'chosen']) {
      await held(window, key);
      expect(window.question(key)?.file?.media_type).toBe('audio/webm');
    }
  });

  it('are uploaded from a page without HTTPS, whose browser has no crypto.subtle', async () => {
    const person = await newPerson(use, STEPS);
    const window = await person.open();
    Object.defineProperty(crypto, 'subtle', { configurable: true, value: undefined });
    try {
      window.draft.upload('cv', file('cv.pdf'));
      await held(window, 'cv');
    } finally {
      Reflect.deleteProperty(crypto, 'subtle');
    }
    expect(await storedFiles(window)).toEqual(['cv.pdf stored']);
  });

  it('that the service rejects for their announced type show a field error', async () => {
    const person = await newPerson(use, STEPS);
    const window = await person.open();
    window.draft.upload('cv', file('cv.zip', PDF, 'application/x-zip-compressed'));
    await eventually('it is rejected', () => window.question('cv')?.upload?.state === 'refused');
    expect(window.question('cv')?.mistake).toMatchObject({ field: 'cv', code: 'type_mismatch' });
    expect(await storedFiles(window)).toEqual([]);
  });

  it('that the service rejects for their content show a field error, and are deleted', async () => {
    const person = await newPerson(use, STEPS);
    const window = await person.open();
    window.draft.upload('cv', file('cv.pdf', PNG));
    await eventually('it is rejected', () => window.question('cv')?.upload?.state === 'refused');
    expect(window.question('cv')?.mistake).toMatchObject({ field: 'cv', code: 'type_mismatch' });
    await eventually('no file is stored', async () => (await storedFiles(window)).length === 0);
    window.draft.upload('cv', file('cv.pdf', Buffer.alloc(0)));
    await eventually('it is rejected', () => window.question('cv')?.mistake?.code === 'not_an_integer');
  });

  it('are deleted when their answer is replaced or removed, and uploads are cancelled with their entry', async () => {
    const person = await newPerson(use, [{ receipt: { type: 'file', isRepeatable: true } }]);
    await buildEntity(use.database.dataSource, person, { name: 'expense', isRepeatable: true }, ['receipt']);
    const { sendContent, open, inFlight } = gate();
    const window = await person.open({ sendContent });
    const { draft } = window;
    const [first, second] = [await draft.addEntry('expense'), await draft.addEntry('expense')];
    draft.upload(`receipt.${first}`, file('lost.pdf'));
    draft.upload(`receipt.${second}`, file('one.pdf'));
    await eventually('both are in flight', () => inFlight() === 2);
    expect(await draft.removeEntry(first!)).toBe('done');
    open();
    await held(window, `receipt.${second}`);
    await draft.save();
    expect(await storedFiles(window)).toEqual(['one.pdf stored']);

    draft.upload(`receipt.${second}`, file('two.pdf'));
    expect(window.question(`receipt.${second}`)).toMatchObject({
      file: { name: 'one.pdf' },
      upload: { name: 'two.pdf' },
    });
    await eventually('it is replaced', () => window.question(`receipt.${second}`)?.file?.name === 'two.pdf');
    await draft.save();
    expect(await storedFiles(window)).toEqual(['two.pdf stored']);

    draft.upload(`receipt.${second}`, file('three.pdf'));
    draft.cancelUpload(`receipt.${second}`);
    draft.change(`receipt.${second}`, '');
    await draft.save();
    expect(window.question(`receipt.${second}`)).toMatchObject({ file: undefined, upload: undefined });
    await eventually('no file is stored', async () => (await storedFiles(window)).length === 0);
    await use.service.workOnFiles();
  });

  it('that are cancelled while they are being announced are deleted', async () => {
    const person = await newPerson(use, STEPS);
    const window = await person.open();
    await use.database.dataSource.transaction(async (manager) => {
      await manager.query('lock table files in share mode');
      window.draft.upload('cv', file('cv.pdf'));
      await eventually('the service waits', async () => {
        const waiting = await manager.query<unknown[]>(
          'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
        );
        return waiting.length > 0;
      });
      window.draft.cancelUpload('cv');
    });
    await eventually('the file is deleted', () =>
      window.requests.some((request) => request.startsWith('DELETE files/')),
    );
    await eventually('no file is stored', async () => (await storedFiles(window)).length === 0);
    expect(window.requests.some((request) => request.endsWith('/content'))).toBe(false);
  });

  it('become answers by name if the service does not store files', async () => {
    const person = await newPerson(use, STEPS);
    await withServiceOn(use.database, { FILES_URL: '' }, async ({ url }) => {
      const window = await person.open({ url });
      window.draft.upload('cv', file('cv.pdf'));
      expect(await window.draft.next()).toBe('done');
      expect((await person.stored(window)).answers).toEqual({ cv: 'cv.pdf' });
      window.draft.upload('letter', file('letter.pdf'));
      await eventually('it is the answer', () => window.shown.values['letter'] === 'letter.pdf');
      expect(window.requests.filter((request) => request.startsWith('POST files'))).toHaveLength(1);
      window.close();
    });
  });

  it.each(['clean', 'infected'])('with a pending virus scan are polled until they are %s', async (state) => {
    const person = await newPerson(use, STEPS);
    // No scanner listens at this address: the test sets the result itself.
    const variables = { FILES_URL: storage.url, CLAMD_URL: 'tcp://127.0.0.1:1' };
    await withServiceOn(use.database, variables, async ({ url }) => {
      const window = await person.open({ url });
      window.draft.upload('cv', file('cv.pdf'));
      await eventually('it is stored', () => window.question('cv')?.file);
      expect(window.question('cv')).toMatchObject({
        file: { state: 'stored', is_ready: false },
        mistake: undefined,
      });
      await window.draft.save();
      await use.database.dataSource.query('update files set state = $1 where submission_uuid = $2', [
        state,
        window.shown.submission,
      ]);
      await eventually('the result is shown', () => window.question('cv')?.file?.state === state);
      const requestCount = window.requests.length;
      expect(window.question('cv')?.mistake?.code).toBe(state === 'infected' ? 'file_infected' : undefined);
      expect(await window.draft.next()).toBe(state === 'infected' ? 'mistakes' : 'done');
      expect(window.requests.slice(requestCount).filter((request) => request === 'GET files')).toEqual([]);
      window.close();
    });
  });

  it('are both shown if two windows have uploaded different files for the same question', async () => {
    const person = await newPerson(use, STEPS);
    const [here, there] = [await person.open(), await person.open()];
    there.draft.upload('cv', file('theirs.pdf'));
    await held(there, 'cv');
    expect(await there.draft.save()).toBe('done');
    here.draft.upload('cv', file('mine.pdf'));
    await held(here, 'cv');
    expect(await here.draft.save()).toBe('changed');
    await eventually('both are known', () => here.question('cv')?.conflict?.theirFile);
    expect(here.question('cv')).toMatchObject({
      file: { name: 'mine.pdf' },
      conflict: { theirFile: { name: 'theirs.pdf' } },
    });
    here.draft.resolve('cv', 'mine');
    expect(await here.draft.save()).toBe('done');
    expect(await storedFiles(here)).toEqual(['mine.pdf stored']);
  });
});

describe('files of a draft on a broken network', () => {
  let proxy: Proxy;
  let url: string;

  beforeEach(async () => {
    proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(use.service.url).port) });
    url = `http://127.0.0.1:${proxy.port}`;
  });
  afterEach(() => proxy.close());

  it('are uploaded again when the network recovers, and block the next step until then', async () => {
    const person = await newPerson(use, STEPS);
    const { sendContent, open, inFlight } = gate();
    const window = await person.open({ url, sendContent });
    window.draft.upload('cv', file('cv.pdf'));
    await eventually('it is in flight', () => inFlight() === 1);
    await proxy.refuse();
    open();
    expect(await window.draft.next()).toBe('failed');
    expect(window.question('cv')).toMatchObject({ upload: { state: 'interrupted' }, mistake: undefined });
    expect(window.question('cv')?.upload?.error).toMatchObject({ name: 'NetworkError' });
    await proxy.heal();
    // The upload restarts without a call of retry().
    await eventually('it is the answer', () => window.question('cv')?.file);
    expect(await window.draft.next()).toBe('done');
    expect(await storedFiles(window)).toEqual(['cv.pdf stored']);
  });

  it.each([
    ['announced', 'POST files', 'pending'],
    ['committed', 'POST files/…/commit', 'stored'],
  ])('exist only once if the response is lost after they were %s', async (_, request, state) => {
    const person = await newPerson(use, STEPS);
    const window = await person.open({ url });
    const hasArrived = async () => (await storedFiles(window))[0] === `cv.pdf ${state}`;
    const sent = () => window.requests.map((one) => one.replace(/[0-9a-f-]{36}/, '…'));
    if (state === 'pending') proxy.loseAnswers();
    else {
      // Lose responses only from the commit on.
      const send = window.requests.push.bind(window.requests);
      window.requests.push = (one) => {
        if (one.endsWith('/commit')) proxy.loseAnswers();
        return send(one);
      };
    }
    window.draft.upload('cv', file('cv.pdf'));
    await eventually('the request has arrived', hasArrived);
    expect(sent()).toContain(request);
    const before = await use.database.dataSource.query<unknown[]>(
      'select uuid from files where submission_uuid = $1',
      [window.shown.submission],
    );
    proxy.cut();
    await eventually('it is interrupted', () => window.question('cv')?.upload?.state === 'interrupted');
    window.requests.push = Array.prototype.push.bind(window.requests);
    await proxy.heal();
    window.draft.retry();
    await held(window, 'cv');
    expect(await window.draft.save()).toBe('done');
    expect(await storedFiles(window)).toEqual(['cv.pdf stored']);
    const after = await use.database.dataSource.query('select uuid from files where submission_uuid = $1', [
      window.shown.submission,
    ]);
    // A stored file is not uploaded again.
    if (state === 'stored') expect(after).toEqual(before);
    else expect(after).not.toEqual(before);
  });
});

describe('files of a draft if the service stores them in S3', () => {
  it('are uploaded to S3 without the token, and committed', async () => {
    const s3 = await s3Server();
    const service = await startService(use.database, {
      FILES_URL: `s3://${BUCKET}/session`,
      ...s3.variables,
    });
    try {
      const person = await newPerson(use, STEPS);
      const sent: Request[] = [];
      const window = await person.open({
        url: service.url,
        sendContent: async (request, content, onProgress) => {
          sent.push(request.clone());
          const response = await fetch(request);
          onProgress(content.size);
          return response;
        },
      });
      window.draft.upload('cv', file('cv.pdf'));
      await held(window, 'cv');
      expect(await window.draft.next()).toBe('done');
      expect(sent.map(({ url }) => new URL(url).origin)).toEqual([s3.variables.AWS_ENDPOINT_URL_S3]);
      expect([...sent[0]!.headers.keys()]).toEqual(['x-amz-checksum-sha256']);

      // While S3 is down, nothing is lost and everything else works.
      await s3.stop();
      window.draft.upload('cv', file('better.pdf'));
      await window.draft.back();
      await eventually('it is interrupted', () => window.question('cv')?.upload?.state === 'interrupted');
      expect(window.question('cv')?.upload?.error).toMatchObject({
        name: 'NetworkError',
        message: expect.stringContaining(`${s3.variables.AWS_ENDPOINT_URL_S3} cannot be reached`) as string,
      });
      expect(window.question('cv')?.file?.name).toBe('cv.pdf');
      expect(window.shown).toMatchObject({ saving: { kind: 'incomplete' }, isUploading: true });
      await s3.startAgain();
      window.draft.retry();
      await eventually('it is the answer', () => window.question('cv')?.file?.name === 'better.pdf');
      window.close();
    } finally {
      await service.close();
      await s3.remove();
    }
  });
});
