import { EntityDefinition, Field, Option } from '../src/entities.js';
import { type Export, exportSubmissions } from '../src/submissions/export/export-submissions.js';
import { newDraftOf } from './support/drafts.js';
import { useService } from './support/service.js';

const use = useService();
const manager = () => use.database.dataSource.manager;

/** A form whose labels have changed between two completed submissions and a draft. */
async function newHistory() {
  const draft = await newDraftOf(use, {
    steps: [
      {
        colour: { label: 'Colour', type: 'checkbox', options: ['red', 'blue'] },
        note: { label: 'Note' },
        place: { label: 'Place', isRepeatable: true },
      },
    ],
    entities: [{ name: 'trip', label: 'Trip', isRepeatable: true, of: ['place'] }],
  });
  const { client, form, fields } = draft;
  const edit = (label: string) =>
    use.service.hearing(() =>
      manager().transaction(async (panel) => {
        for (const code of ['colour', 'note', 'place'])
          await panel.update(Field, fields[code]!.id, { label: `${label} ${code}` });
        await panel.update(
          Option,
          { fieldId: fields['colour']!.id, value: 'red' },
          { label: `${label} red` },
        );
        await panel.update(EntityDefinition, { formId: form.id }, { label: `${label} trip` });
      }),
    );
  const begin = async (isCompleted: boolean) => {
    const { body } = await client.post('/api/v1/submissions', { form_uuid: form.uuid });
    const path = `/api/v1/submissions/${body.data.uuid}`;
    const { body: added } = await client.post(`${path}/records`, { entity: 'trip' });
    const values = [
      { field_code: 'colour', value: 'red,blue' },
      { field_code: 'note', value: 'n' },
      { field_code: 'place', value: 'Oslo', entity_record_id: added.data.id },
    ];
    expect((await client.post(`${path}/values`, { values })).status).toBe(200);
    if (isCompleted) expect((await client.patch(path, { status: 'completed' })).status).toBe(200);
  };
  await client.delete(draft.path);
  await edit('Old');
  await begin(true);
  await edit('New');
  await begin(true);
  await edit('Now');
  await begin(false);
  return { ...draft, edit };
}

type Format = Omit<Export, 'slug' | 'status' | 'since'>;

async function exported(slug: string, format: Format): Promise<string> {
  return (await exportedWithWarnings(slug, format)).text;
}

async function exportedWithWarnings(slug: string, format: Format) {
  let text = '';
  const result = await exportSubmissions(
    use.database.dataSource,
    { slug, status: undefined, since: undefined, ...format },
    (part) => {
      text += part;
      return Promise.resolve();
    },
  );
  return { text, warnings: result?.warnings };
}

const linesOf = (csv: string) =>
  csv
    .trim()
    .split('\r\n')
    .map((line) => line.replace(/^([^,]*,){9}/, ''));

describe('an export as shown (N3)', () => {
  it('names the versions whose rows hold no schema, and shows their submissions with the labels of today', async () => {
    const { form } = await newHistory();
    const format = { format: 'csv', labels: true, asShown: true } as Format;
    expect((await exportedWithWarnings(form.slug, format)).warnings).toEqual([]);
    await manager().query(`update form_versions set schema = '{}' where form_id = $1`, [form.id]);
    const { text, warnings } = await exportedWithWarnings(form.slug, format);
    expect(text).toBe(await exported(form.slug, { format: 'csv', labels: true } as Format));
    expect(warnings).toEqual([
      expect.stringMatching(/have the labels of today, .* hold no schema: \d+, \d+\.$/),
    ]);
  });

  it('in CSV, has the options of each completed version, and the column names of the newest', async () => {
    const { form } = await newHistory();
    const csv = { format: 'csv', labels: true } as const;
    const now = linesOf(await exported(form.slug, csv));
    expect(now.map((line) => line.replace(/\d+/, 'ID'))).toEqual([
      'entity,entity_record_id,Now colour,Now note,Now place',
      ...Array<string>(3).fill('Now trip,ID,"Now red, blue",n,Oslo'),
    ]);
    const shown = linesOf(await exported(form.slug, { ...csv, asShown: true }));
    expect(shown.map((line) => line.replace(/\d+/, 'ID'))).toEqual([
      'entity,entity_record_id,New colour,New note,New place',
      'New trip,ID,"Old red, blue",n,Oslo',
      'New trip,ID,"New red, blue",n,Oslo',
      'New trip,ID,"Now red, blue",n,Oslo',
    ]);
  });

  it('in NDJSON, adds the label and the shown text to each value', async () => {
    const { form } = await newHistory();
    const [plain] = (await exported(form.slug, { format: 'ndjson' })).split('\n');
    expect(Object.keys(JSON.parse(plain!).values[0])).not.toContain('label');
    const lines = (await exported(form.slug, { format: 'ndjson', asShown: true })).trim().split('\n');
    const values = lines.map((line) =>
      (JSON.parse(line).values as { label: string; shown: string }[]).map(({ label, shown }) => [
        label,
        shown,
      ]),
    );
    expect(values).toEqual(
      ['Old', 'New', 'Now'].map((label) => [
        [`${label} colour`, `${label} red, blue`],
        [`${label} note`, 'n'],
        [`${label} place`, 'Oslo'],
      ]),
    );
  });

  it('keeps the label of a field that has been retired since, and of one that was added since', async () => {
    const { form, fields, edit } = await newHistory();
    await use.service.hearing(() =>
      manager().update(Field, fields['note']!.id, { retiredAt: new Date('2026-11-26') }),
    );
    await edit('Last');
    const lines = (await exported(form.slug, { format: 'ndjson', asShown: true })).trim().split('\n');
    const labels = lines.map((line) => (JSON.parse(line).values as { label: string }[])[1]!.label);
    expect(labels).toEqual(['Old note', 'New note', 'Last note']);
  });
});
