import { setTimeout as sleep } from 'node:timers/promises';
import { FormVersion } from '../../src/entities.js';
import { newDraft } from '../support/drafts.js';
import { newUser, useService, useServiceOn } from '../support/service.js';

const SUBMISSIONS = '/api/v1/submissions';

const use = useService();
const manager = () => use.database.dataSource.manager;
const textOf = async (url: string, uuid: string, search = '') =>
  (await fetch(`${url}/api/v1/forms/${uuid}/schema${search}`)).text();

describe('while random edits change the form', () => {
  const other = useServiceOn(use);

  /** An edit of each table of the form. Every edit gives a new version. */
  const EDITS = [
    `update forms set name = name || '.' where id = $1`,
    `update steps set title = title || '.' where form_id = $1`,
    `update fields set label = label || '.' where form_id = $1`,
    `insert into options (field_id, label, value) select id, 'An option', gen_random_uuid() from fields where form_id = $1`,
    `update fields set retired_at = case when retired_at is null then now() end where form_id = $1 and code = 'age'`,
    `insert into field_rules (field_id, kind, value) select id, 'max_length', '99' from fields where form_id = $1 and code = 'name'
       on conflict (field_id, kind) where other_field_id is null do update set value = (field_rules.value::integer + 1)::text`,
  ];

  it('each kept schema is what the schema response was, byte for byte (N3)', async () => {
    const { form } = await newDraft(use, [{ name: {}, age: {} }]);
    const { plainToken } = await newUser(use);
    const headers = { Authorization: `Bearer ${plainToken}` };
    const shown = new Map<number, Set<string>>();
    const completed = new Set<number>();
    let isEditing = true;
    const comparable = () => [...completed].filter((version) => shown.has(version));
    const edit = async () => {
      // Only a slow machine needs more than 60. The other bound ends the edits after a failed completion.
      for (let edits = 0; edits < 60 || (edits < 2_000 && comparable().length <= 10); edits += 1) {
        const several = EDITS.filter(() => Math.random() < 0.4);
        await manager().transaction(async (panel) => {
          for (const sql of several.length === 0 ? [EDITS[0]!] : several) await panel.query(sql, [form.id]);
        });
        await sleep(Math.random() * 30);
      }
      isEditing = false;
    };
    const complete = async (at: number) => {
      const { anyone, url } = at % 2 === 0 ? use.service : other;
      while (isEditing) {
        const text = await textOf(url, form.uuid);
        const schema = JSON.parse(text);
        const texts = shown.get(schema.data.version) ?? new Set();
        shown.set(schema.data.version, texts.add(text));
        const { body: begun } = await anyone.post(SUBMISSIONS, { form_uuid: form.uuid }, headers);
        const path = `${SUBMISSIONS}/${begun.data.uuid}`;
        expect((await anyone.patch(path, { status: 'completed' }, headers)).status).toBe(200);
        completed.add((await anyone.get(path, headers)).body.data.completed_version);
      }
    };
    await Promise.all([edit(), ...Array.from({ length: 20 }, (_, at) => complete(at))]);

    for (const version of completed) {
      const kept = await textOf(use.service.url, form.uuid, `?version=${version}`);
      expect(JSON.parse(kept)).toMatchObject({ data: { version } });
      if (!shown.has(version)) continue;
      expect([...shown.get(version)!]).toEqual([kept]);
    }
    expect(comparable().length).toBeGreaterThan(10);
    const kept = await manager().findBy(FormVersion, { formId: form.id });
    expect(new Set(kept.map((row) => row.version))).toEqual(completed);
  });
});
