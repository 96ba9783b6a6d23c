import { createGzip } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { clamdWithVirus, hasClamd, VIRUS } from '../support/clamd.js';
import type { Client } from '../support/client.js';
import { filesFolder, PDF, storeFile } from '../support/files.js';
import { buildForm, type BuiltForm } from '../support/forms.js';
import { newUser, type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';

if (!hasClamd && process.env['CI'] === 'true') throw new Error("Debian's clamav-daemon is not installed.");

(hasClamd ? describe : describe.skip)('files that clamd scans (U6; skipped without clamav-daemon)', () => {
  let clamd: Awaited<ReturnType<typeof clamdWithVirus>>;
  let storage: ReturnType<typeof filesFolder>;
  let database: TestDatabase;
  let service: Service;
  let own: Client;
  let built: BuiltForm;

  beforeAll(async () => {
    [clamd, storage, database] = [await clamdWithVirus(), filesFolder(), await testDatabase()];
    await clamd.start();
    service = await startService(database, { FILES_URL: storage.url, CLAMD_URL: clamd.url });
    own = (await newUser({ database, service })).client;
    built = await buildForm(database.dataSource, {
      form: { completion: 'strict' },
      steps: [{ cv: { type: 'file' } }],
    });
  });
  afterAll(async () => {
    await service.close();
    await database.close();
    await storage.remove();
    await clamd.remove();
  });

  async function draft(): Promise<string> {
    const { body } = await own.post('/api/v1/submissions', { form_uuid: built.form.uuid });
    return `/api/v1/submissions/${body.data.uuid}`;
  }
  const setValue = (submission: string, value: string) =>
    own.post(`${submission}/values`, { values: [{ field_code: 'cv', value }] });
  const complete = (submission: string) =>
    own.patch(submission, { status: 'completed' }, { Accept: 'application/problem+json' });
  const scan = async () => {
    await database.dataSource.query('update files set scan_at = now()');
    await service.workOnFiles();
  };
  /** Returns the file's `state` and `is_ready`. */
  const stateOf = async (submission: string, uuid: string) => {
    const { state, is_ready } = (await own.get(`${submission}/files/${uuid}`)).body.data;
    return [state, is_ready];
  };

  it('become clean only when clamd is available, and strict completion waits for it', async () => {
    const submission = await draft();
    await clamd.stop();
    const { uuid, value } = await storeFile(own, submission);
    await setValue(submission, value);
    await scan();
    expect(await stateOf(submission, uuid)).toEqual(['stored', false]);
    const waiting = await complete(submission);
    expect([waiting.status, waiting.body.errors[0].code]).toEqual([422, 'file_unchecked']);
    await clamd.start();
    await scan();
    expect(await stateOf(submission, uuid)).toEqual(['clean', true]);
    expect((await complete(submission)).status).toBe(200);
  });

  it('that are infected lose their bytes, and are rejected as values', async () => {
    const submission = await draft();
    const { uuid, value } = await storeFile(own, submission, Buffer.from(`Dear all, ${VIRUS}`), {
      name: 'letter.txt',
      media_type: 'text/plain',
    });
    await setValue(submission, value);
    await scan();
    await service.workOnFiles();
    expect(await stateOf(submission, uuid)).toEqual(['infected', false]);
    expect(await storage.uuids()).not.toContain(uuid);
    expect((await own.get(`${submission}/files/${uuid}/content`)).status).toBe(409);
    expect((await complete(submission)).body.errors[0].code).toBe('file_infected');
    expect((await setValue(submission, value)).status).toBe(422);
    const { value: other } = await storeFile(own, submission, PDF);
    expect((await setValue(submission, other)).status).toBe(200);
    expect((await own.get(`${submission}/files/${uuid}`)).status).toBe(404);
  });

  it('that unpack to more than clamd scans are infected', async () => {
    const submission = await draft();
    const zeros = Readable.from(
      (function* () {
        for (let mebibytes = 0; mebibytes < 300; mebibytes += 1) yield Buffer.alloc(1024 * 1024);
      })(),
    );
    const bomb = await buffer(zeros.pipe(createGzip()));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const more = { name: 'bomb.gz', media_type: 'application/gzip' };
    const { uuid } = await storeFile(own, submission, bomb, more);
    await scan();
    expect(await stateOf(submission, uuid)).toEqual(['infected', false]);
  });
});
