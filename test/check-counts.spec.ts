import { useCommandLine } from './support/command-line.js';
import { createDraft, newDraft } from './support/drafts.js';
import { complete, store } from './support/draft-requests.js';
import { onOneServer } from './support/it-on-one-server.js';

const use = useCommandLine({});
const { run } = use;
const query = (sql: string, ...parameters: unknown[]) => use.database.dataSource.query(sql, parameters);

onOneServer('forms check-counts (D4 to D6)', () => {
  it('mends counters, and keeps the holders of a renamed option', async () => {
    const one = await newDraft(use, [{ workshop: { type: 'radio', options: ['a', 'b'] } }], {
      maxSubmissions: 9,
      maxPerUser: 9,
    });
    const { form, fields, userId } = one;
    const two = { ...one, ...(await createDraft(one.client, one)) };
    await query(`update options set places = 5 where field_id = $1`, fields.workshop!.id);
    for (const [draft, workshop] of [
      [one, 'a'],
      [two, 'b'],
    ] as const) {
      await store(draft, { workshop });
      expect((await complete(draft)).status).toBe(200);
    }
    await query(`update options set value = 'c' where field_id = $1 and value = 'a'`, fields.workshop!.id);
    const right = { status: 0, stdout: `The counters of the form ${form.slug} are right.\n` };
    expect(await run(['forms', 'check-counts', form.slug])).toMatchObject(right);

    // A copy of the tables that fires no trigger loses what triggers write.
    const [{ id }] = await query(
      `select id from options where field_id = $1 and value = 'b'`,
      fields.workshop!.id,
    );
    await query('update form_counts set completed = 7 where form_id = $1', form.id);
    await query('delete from user_counts where form_id = $1', form.id);
    await query('delete from held_options where option_id = $1', id);
    await query('update option_counts set taken = 0 where option_id = $1', id);
    const mended = `form ${form.id}: 7, now 2\noption ${id}: 0, now 1\nuser ${userId}: 0, now 2\n`;
    expect(await run(['forms', 'check-counts', form.slug])).toMatchObject({
      status: 0,
      stdout: `${mended}Mended 3 counters of the form ${form.slug}.\n`,
    });
    expect(await run(['forms', 'check-counts', form.slug])).toMatchObject(right);
    const held = await query(
      'select value from held_options join options on id = option_id where field_id = $1 order by 1',
      fields.workshop!.id,
    );
    expect(held).toEqual([{ value: 'b' }, { value: 'c' }]);
  });

  it('has nothing to count in a form without limits, and names a slug that no form has', async () => {
    const { form } = await newDraft(use);
    expect((await run(['forms', 'check-counts', form.slug])).stdout).toMatch(/are right\.\n$/);
    expect(await run(['forms', 'check-counts', 'nowhere'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no form with the slug "nowhere".'),
    });
  });
});
