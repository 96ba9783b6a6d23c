import { Form } from '../src/entities.js';
import type { Answer } from './support/client.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { isPgBouncerInstalled, type Pooler, startPooler } from './support/pooler.js';
import { newUser, type Service, startService, withServiceOn } from './support/service.js';
import { useDatabase } from './support/test-database.js';

const database = useDatabase();

it.each([
  ['prepares no statements on the pool if DATABASE_DIRECT_URL is set', true],
  ['prepares its statements if DATABASE_DIRECT_URL is unset', false],
])('a service %s', (_, isPooled) =>
  withServiceOn(database, isPooled ? { DATABASE_DIRECT_URL: database.url } : {}, async (service) => {
    const sent = await service.statementsDuring(() => service.anyone.get('/api/v1/forms'));
    // Only a prepared statement has a name.
    const names = sent.map(({ name }) => name).filter((name) => ['', 'forms.list'].includes(name));
    expect(names).toEqual([isPooled ? '' : 'forms.list']);
  }),
);

const isInstalled = isPgBouncerInstalled();

(isInstalled ? describe : describe.skip)(
  'behind PgBouncer in transaction mode (skipped unless it is installed)',
  () => {
    const CONNECTIONS = 3;
    const FLOWS = 40;
    let pooler: Pooler;
    let service: Service;

    beforeAll(async () => {
      pooler = await startPooler(database.connection, CONNECTIONS);
      service = await startService(
        database,
        { DATABASE_DIRECT_URL: database.url, DATABASE_POOL_SIZE: '20' },
        pooler.connection,
      );
    });

    afterAll(async () => {
      await service.close();
      await pooler.close();
    });

    it('the service handles concurrent requests of every kind over a few server connections', async () => {
      const { form, fields } = await buildForm(database.dataSource, { steps: [{ name: {} }, { note: {} }] });
      const { client } = await newUser({ database, service });
      // On a busy machine, the service may respond with 503 (E2). Each of these requests may be sent again.
      const served = (send: () => Promise<Answer>) =>
        eventually('the request is served', async () => {
          const response = await send();
          return response.status === 503 ? undefined : response;
        });
      const flow = async (index: number): Promise<number[]> => {
        const key = (what: string) => ({ 'Idempotency-Key': `${what} ${index}` });
        const created = await served(() =>
          client.post('/api/v1/submissions', { form_uuid: form.uuid }, key('create')),
        );
        const path = `/api/v1/submissions/${created.body.data.uuid}`;
        const values = [{ field_id: fields['name']?.id, value: `value ${index}` }];
        const stored = await served(() => client.post(`${path}/values`, { values }));
        const advanced = await served(() => client.post(`${path}/advance`, undefined, key('advance')));
        const resolved = await served(() => client.get(`${path}/conditions`));
        const completed = await served(() => client.patch(path, { status: 'completed' }));
        const read = await served(() => client.get(path));
        expect(read.body.data.values).toMatchObject([{ value: `value ${index}` }]);
        return [created, stored, advanced, resolved, completed, read].map(({ status }) => status);
      };
      const statuses = await Promise.all(Array.from({ length: FLOWS }, (_, index) => flow(index)));
      expect(new Set(statuses.map(String))).toEqual(new Set(['201,200,200,200,200,200']));
    });

    it('the service notices changes', async () => {
      const { form } = await buildForm(database.dataSource);
      const name = async () =>
        (await service.anyone.get(`/api/v1/forms/${form.uuid}`)).body.data.name as string;
      expect(await name()).toBe(form.name);
      expect(await service.isHearing()).toBe(true);
      await database.dataSource.manager.update(Form, form.id, { name: 'Renamed' });
      await eventually('the new name is published', async () => (await name()) === 'Renamed');
    });
  },
);
