import type { SendContent } from 'formtrail-client';
import { eventually } from '../support/eventually.js';
import { filesFolder, PDF } from '../support/files.js';
import { type BuiltForm, buildForm, type FieldPlan } from '../support/forms.js';
import { startService, useService, withServiceOn } from '../support/service.js';
import { BUCKET, s3Server } from '../support/s3-server.js';
import { Network, newPerson, type Window } from './support/person.js';
import { onOneServer as describe } from '../support/it-on-one-server.js';

const storage = filesFolder();
const use = useService({ FILES_URL: storage.url });
afterAll(() => storage.remove());

const STEPS: Record<string, FieldPlan>[] = [
  {
    cv: { type: 'file', isRequired: true, accept: 'application/pdf, .docx', maxBytes: 1_000_000 },
    photo: { type: 'file', accept: 'image/*' },
    list: { type: 'file', accept: '.csv' },
    voice: { type: 'file', accept: 'audio/*' },
  },
  { note: {} },
];

let built: BuiltForm;
beforeAll(async () => {
  built = await buildForm(use.database.dataSource, { steps: STEPS });
});

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const file = (name: string, content = PDF, type = 'application/pdf') =>
  new File([new Uint8Array(content)], name, { type });

const RECORDING = Buffer.from(
  '1a45dfa39b4286810142f7810142f2810442f381084282847765626d42878104' + '00'.repeat(32),
  'hex',
);

/** A `sendContent` that reports half of each upload as sent, but sends the content only after `open()` is called. */
function gate(network = new Network()) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  let [inFlight, max] = [0, 0];
  const sendContent: SendContent = async (request, content, onProgress) => {
    max = Math.max(max, (inFlight += 1));
    onProgress(Math.floor(content.size / 2));
    await opened;
    return network.fetch(request).finally(() => (inFlight -= 1));
  };
  return { sendContent, open, max: () => max, inFlight: () => inFlight };
}

const held = (window: Window, key: string) =>
  eventually(`${key} has a file`, () => window.question(key)?.file?.is_ready);

const filesOf = ({ shown }: Window): Promise<{ uuid: string; name: string; state: string }[]> =>
  use.database.dataSource.query('select * from files where submission_uuid = $1 order by name', [
    shown.submission,
  ]);

/** Returns the names and states of the submission's files in the database. */
const storedFiles = async (window: Window) =>
  (await filesOf(window)).map(({ name, state }) => `${name} ${state}`);

const noFileIsStored = (window: Window) =>
  eventually('no file is stored', async () => (await filesOf(window)).length === 0);
const stateOfUpload = (window: Window, state: string) =>
  eventually(`the upload is ${state}`, () => window.question('cv')?.upload?.state === state);

describe('files of a draft', () => {
  it('are uploaded, three at a time, and become the answers', async () => {
    const { sendContent, open, max, inFlight } = gate();
    const person = await newPerson(use, STEPS, { form: { completion: 'strict' } });
    const window = await person.open({ sendContent });
    const { draft } = window;
    draft.upload('cv', file('cv.pdf'));
    draft.upload('photo', file('me.png', PNG, 'image/png'));
    // The types that Windows and browsers report.
    draft.upload('list', file('list.csv', Buffer.from('a,b'), 'application/vnd.ms-excel'));
    draft.upload('voice', file('voice.webm', RECORDING, 'video/webm;codecs=opus'));
    await eventually('three are in flight', () => inFlight() === 3);
    expect(window.question('cv')).toMatchObject({
      value: '',
      file: undefined,
      upload: { name: 'cv.pdf', size: PDF.length, sent: Math.floor(PDF.length / 2), state: 'uploading' },
    });
    expect(window.question('voice')?.upload).toMatchObject({ sent: 0, state: 'waiting' });
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
      ['list.csv', 'text/csv'],
      ['voice.webm', 'audio/webm'],
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

  it('that the schema does not allow are rejected without a request', async () => {
    const window = await (await newPerson(use, built)).open();
    const { draft } = window;
    const sent = window.requests.length;
    const code = 'too_large';
    const refused = file('cv.pdf', Buffer.alloc(1_000_001));
    draft.upload('cv', refused);
    expect(window.question('cv')).toMatchObject({
      ...{ value: '', mistake: { field: 'cv', code, params: { max: 1_000_000, size: 1_000_001 } } },
      upload: { name: 'cv.pdf', state: 'refused', mistake: { code } },
    });
    expect(window.shown).toMatchObject({ isUploading: false, saving: { kind: 'incomplete' } });
    expect(await draft.next()).toBe('mistakes');
    expect(window.shown.mistakes).toMatchObject([{ key: 'cv', position: 1, mistake: { code } }]);
    expect(window.requests.slice(sent)).toEqual([]);

    draft.cancelUpload('cv');
    expect(window.question('cv')).toMatchObject({ mistake: undefined, upload: undefined });
    draft.upload('cv', refused);
    draft.upload('cv', file('cv.pdf'));
    await held(window, 'cv');
    expect(window.shown.mistakes).toEqual([]);
  });

  it('are uploaded from a page without HTTPS, whose browser has no crypto.subtle', async () => {
    const window = await (await newPerson(use, built)).open();
    Object.defineProperty(crypto, 'subtle', { configurable: true, value: undefined });
    try {
      window.draft.upload('cv', file('cv.pdf'));
      await held(window, 'cv');
    } finally {
      Reflect.deleteProperty(crypto, 'subtle');
    }
    expect(await storedFiles(window)).toEqual(['cv.pdf stored']);
  });

  it.each([
    ['announced type', file('cv.zip', PDF, 'application/x-zip-compressed')],
    ['content', file('cv.pdf', PNG)],
  ])('that the service rejects for their %s show a field error, and are deleted', async (_, refused) => {
    const window = await (await newPerson(use, built)).open();
    window.draft.upload('cv', refused);
    await stateOfUpload(window, 'refused');
    expect(window.question('cv')?.mistake).toMatchObject({ field: 'cv', code: 'type_mismatch' });
    await noFileIsStored(window);
    window.draft.upload('cv', file('cv.pdf', Buffer.alloc(0)));
    await eventually('it is rejected', () => window.question('cv')?.mistake?.code === 'not_an_integer');
  });

  it('are deleted when their answer is replaced or removed, and uploads are cancelled with their entry', async () => {
    const entities = [{ name: 'expense', isRepeatable: true, of: ['receipt'] }];
    const person = await newPerson(use, [{ receipt: { type: 'file', isRepeatable: true } }], { entities });
    const { sendContent, open, inFlight } = gate();
    const window = await person.open({ sendContent });
    const question = () => window.question(`receipt.${second}`);
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
    expect(question()).toMatchObject({ file: { name: 'one.pdf' }, upload: { name: 'two.pdf' } });
    await eventually('it is replaced', () => question()?.file?.name === 'two.pdf');
    await draft.save();
    expect(await storedFiles(window)).toEqual(['two.pdf stored']);

    draft.upload(`receipt.${second}`, file('three.pdf'));
    draft.cancelUpload(`receipt.${second}`);
    draft.change(`receipt.${second}`, '');
    await draft.save();
    expect(question()).toMatchObject({ file: undefined, upload: undefined });
    await noFileIsStored(window);
  });

  it('that are cancelled while their upload is being created are deleted', async () => {
    const window = await (
      await newPerson(use, built)
    ).open({
      fetch: async (request) => {
        const response = await fetch(request);
        if (request.method === 'POST' && request.url.endsWith('/files')) window.draft.cancelUpload('cv');
        return response;
      },
    });
    window.draft.upload('cv', file('cv.pdf'));
    await eventually('the file is deleted', () =>
      window.requests.some((request) => request.startsWith('DELETE files/')),
    );
    await noFileIsStored(window);
    expect(window.requests.some((request) => request.endsWith('/content'))).toBe(false);
  });

  it('become answers by name if the service does not store files', async () => {
    const person = await newPerson(use, built);
    await withServiceOn(use.database, { FILES_URL: '' }, async ({ url }) => {
      const window = await person.open({ url });
      window.draft.upload('cv', file('cv.pdf'));
      expect(await window.draft.next()).toBe('done');
      expect((await person.stored(window)).answers).toEqual({ cv: 'cv.pdf' });
      window.draft.upload('list', file('list.csv'));
      await eventually('it is the answer', () => window.shown.values['list'] === 'list.csv');
      expect(window.requests.filter((request) => request.startsWith('POST files'))).toHaveLength(1);
      window.close();
    });
  });

  it('with a pending virus scan are polled until they are clean or infected', async () => {
    const person = await newPerson(use, built);
    // No scanner listens at this address: the test sets the result itself.
    const variables = { FILES_URL: storage.url, CLAMD_URL: 'tcp://127.0.0.1:1' };
    await withServiceOn(use.database, variables, async ({ url }) => {
      const windows = [await person.open({ url }), await person.open({ url, submission: null })];
      for (const window of windows) {
        window.draft.upload('cv', file('cv.pdf'));
        await eventually('it is stored', () => window.question('cv')?.file);
        const stored = { state: 'stored', is_ready: false };
        expect(window.question('cv')).toMatchObject({ file: stored, mistake: undefined });
        await window.draft.save();
      }
      for (const [index, state] of ['clean', 'infected'].entries())
        await use.database.dataSource.query('update files set state = $1 where submission_uuid = $2', [
          state,
          windows[index]!.shown.submission,
        ]);
      for (const [index, [state, code, outcome]] of [
        ['clean', undefined, 'done'],
        ['infected', 'file_infected', 'mistakes'],
      ].entries()) {
        const window = windows[index]!;
        await eventually('the result is shown', () => window.question('cv')?.file?.state === state);
        const requestCount = window.requests.length;
        expect(window.question('cv')?.mistake?.code).toBe(code);
        expect(await window.draft.next()).toBe(outcome);
        expect(window.requests.slice(requestCount)).not.toContain('GET files');
        window.close();
      }
    });
  });

  it('are both shown if two windows have uploaded different files for the same question', async () => {
    const person = await newPerson(use, built);
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
  it('are uploaded again when the network recovers, and block the next step until then', async () => {
    const person = await newPerson(use, built);
    const network = new Network();
    const { sendContent, open, inFlight } = gate(network);
    const window = await person.open({ fetch: network.fetch, sendContent });
    window.draft.upload('cv', file('cv.pdf'));
    await eventually('it is in flight', () => inFlight() === 1);
    network.isOffline = true;
    open();
    expect(await window.draft.next()).toBe('failed');
    expect(window.question('cv')).toMatchObject({ upload: { state: 'interrupted' }, mistake: undefined });
    expect(window.question('cv')?.upload?.error).toMatchObject({ name: 'NetworkError' });
    network.isOffline = false;
    // The upload restarts without a call of retry().
    await eventually('it is the answer', () => window.question('cv')?.file);
    expect(await window.draft.next()).toBe('done');
    expect(await storedFiles(window)).toEqual(['cv.pdf stored']);
  });

  it.each([
    ['announced', /^POST .*\/files$/, 'pending'],
    ['committed', /^POST .*\/commit$/, 'stored'],
  ])('exist only once if the response is lost after they were %s', async (_, lost, state) => {
    const network = new Network();
    const window = await (await newPerson(use, built)).open({ fetch: network.fetch });
    network.lost = lost;
    window.draft.upload('cv', file('cv.pdf'));
    await stateOfUpload(window, 'interrupted');
    const [before] = await filesOf(window);
    expect(before).toMatchObject({ state });
    window.draft.retry();
    await held(window, 'cv');
    expect(await window.draft.save()).toBe('done');
    const [after, ...others] = await filesOf(window);
    expect([after, others]).toMatchObject([{ state: 'stored' }, []]);
    // A stored file is not uploaded again.
    expect(after?.uuid === before?.uuid).toBe(state === 'stored');
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
      const person = await newPerson(use, built);
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
      await stateOfUpload(window, 'interrupted');
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
