import { Load, type LoadRequest, percentile, send } from './support/load.js';
import { startOn, useFaults } from './support/use-service.js';
import { eventually } from '../support/eventually.js';

const use = useFaults();
const POOL = 4;
/** Seconds that the database takes for each new submission, so that the database is the bottleneck. */
const SLOW = 0.04;
const CLIENTS = 200;

const create = (): LoadRequest => ({
  method: 'POST',
  path: '/api/v1/submissions',
  body: { form_uuid: use.built.form.uuid },
});

it('with more requests than the database can execute, rejects some early, and lets none wait long', async () => {
  await use.database.dataSource.query(
    `create function slow() returns trigger language plpgsql as
       $$ begin perform pg_sleep(${SLOW}); return new; end $$;
     create trigger slow before insert on submissions for each row execute function slow()`,
  );
  const service = await startOn(use, { DATABASE_POOL_SIZE: `${POOL}` });
  const schema = { method: 'GET', path: `/api/v1/forms/${use.built.form.uuid}/schema` };
  await send(service, schema);
  const load = new Load({ ...service, plainToken: use.plainToken, clients: CLIENTS, next: create });
  // By then, the batches have adapted to the slow database.
  await eventually('requests are refused', () => (load.summary['503'] ?? 0) > 2 * CLIENTS, 10_000);

  const from = load.outcomes.length;
  const startedAt = performance.now();
  const spared = [schema, { method: 'GET', path: '/health/live' }, { method: 'GET', path: '/health/ready' }];
  for (let round = 0; round < 10; round += 1) {
    for (const request of spared) {
      const { status, took } = await send(service, request);
      expect({ ...request, status }).toEqual({ ...request, status: 200 });
      expect(took).toBeLessThan(1_000);
    }
  }
  await eventually('enough is seen', () => performance.now() - startedAt > 5_000, 20_000);
  const seconds = (performance.now() - startedAt) / 1000;
  const outcomes = load.outcomes.slice(from);
  await load.stop();

  const [admitted, refused] = [201, 503].map((answer) => outcomes.filter(({ status }) => status === answer));
  expect(admitted!.length + refused!.length).toBe(outcomes.length);
  // The database was busy for at least 40 % of the time.
  expect(admitted!.length / seconds).toBeGreaterThan((POOL / SLOW) * 0.4);
  // A request waits for at most two seconds, and then its statement runs.
  expect(percentile(admitted!, 99)).toBeLessThan(2_500);
  expect(percentile(refused!, 50)).toBeLessThan(1_000);
  expect(percentile(refused!, 99)).toBeLessThan(2_500);
  expect(refused!.filter(({ headers }) => headers?.['retry-after'] === undefined)).toEqual([]);

  // After the overload, requests are fast again.
  const { status, took } = await send({ ...service, plainToken: use.plainToken }, create());
  expect(status).toBe(201);
  expect(took).toBeLessThan(1_000);
});
