import { readFileSync } from 'node:fs';
import http from 'node:http';
import { buildForm } from '../support/forms.js';
import { send } from './support/load.js';
import { type RunningService, startOn, useFaults } from './support/use-service.js';

const use = useFaults();
const FIELDS = 15;

/** Returns the peak memory of the service so far, in MiB. */
function peakMemory({ child }: RunningService): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Creates drafts with 15 fields, because a body of almost 1 MiB has room for 15 long values. */
async function largeDrafts({ own }: RunningService, count: number): Promise<string[]> {
  const fields = Object.fromEntries(Array.from({ length: FIELDS }, (_, index) => [`large_${index}`, {}]));
  const { form } = await buildForm(use.database.dataSource, { steps: [fields] });
  const drafts = Array.from({ length: count }, async () => {
    const { body } = await own.post('/api/v1/submissions', { form_uuid: form.uuid });
    return `/api/v1/submissions/${body.data.uuid}`;
  });
  return Promise.all(drafts);
}

const valuesOf = (character: string) =>
  Array.from({ length: FIELDS }, (_, index) => ({
    field_code: `large_${index}`,
    value: character.repeat(65_535),
  }));
const store = (service: RunningService, path: string, character = 'x', agent?: http.Agent) =>
  send(
    { ...service, plainToken: use.plainToken, ...(agent && { agent }) },
    { method: 'POST', path: `${path}/values`, body: { values: valuesOf(character) } },
  );

it('56 bodies of 1 MiB at once to one draft are all stored, and three times as many take no more memory', async () => {
  const service = await startOn(use);
  const [path = '', ...others] = await largeDrafts(service, 4);
  // Keep connections open, because an idle connection must not retain the last body.
  const agent = new http.Agent({ keepAlive: true });
  const characters = Array.from({ length: 56 }, (_, index) => String.fromCharCode(36 + index));
  try {
    const outcomes = await Promise.all(characters.map((character) => store(service, path, character, agent)));
    expect(outcomes.map(({ status }) => status)).toEqual(characters.map(() => 200));
    // All stored values come from the request that was executed last (S9).
    const { body } = await service.own.get(path);
    const stored = new Set((body.data.values as { value: string }[]).map(({ value }) => value[0]));
    expect(stored.size).toBe(1);

    const before = peakMemory(service);
    await Promise.all(
      others.flatMap((other) => characters.map((character) => store(service, other, character, agent))),
    );
    expect(peakMemory(service) - before).toBeLessThan(120);
  } finally {
    agent.destroy();
  }
});
