import { Load } from './support/load.js';
import { newDrafts, startOn, useFaults } from './support/use-service.js';

const use = useFaults();
const CLIENTS = 500;

it('serves 500 clients at once with a pool of 4 connections, each with its own data', async () => {
  const service = await startOn(use, { DATABASE_POOL_SIZE: '4' });
  const drafts = await newDrafts(use, service, 50);
  const draftOf = (client: number) => drafts[client % drafts.length]!;
  const load = new Load({
    ...service,
    plainToken: use.plainToken,
    clients: CLIENTS,
    next: (client, count) =>
      [
        { method: 'POST', path: '/api/v1/submissions', body: { form_uuid: use.built.form.uuid } },
        { method: 'PATCH', path: draftOf(client), body: { meta: { client } } },
        { method: 'GET', path: draftOf(client) },
      ][count],
  });
  await load.done();
  // On a slow machine, some requests wait too long and get 503.
  expect(['200', '201', '503']).toEqual(expect.arrayContaining(Object.keys(load.summary)));
  expect(load.acknowledged.length).toBeGreaterThan(CLIENTS);
  const created = load.outcomes.filter(({ status }) => status === 201).map(({ body }) => body.data.uuid);
  expect(new Set(created).size).toBe(created.length);
  for (const { request, body } of load.outcomes.filter(({ status }) => status === 200)) {
    expect(request.path).toContain(body.data.uuid);
  }
});
