import fc from 'fast-check';
import { listReader, optionIn } from '../src/forms/option-list.js';
import { buildForm } from './support/forms.js';
import { onOneServer } from './support/it-on-one-server.js';
import { useDatabase } from './support/test-database.js';

const database = useDatabase();

/** Short texts of few characters, so that options share parts and white space. */
const part = fc.stringMatching(/^[ab \u00a0]{0,2}$/);
const option = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','));
const options = fc.uniqueArray(option, { minLength: 1, maxLength: 5 });
const written = fc
  .array(part, { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(','))
  .filter((text) => text !== '');

/** The options that a text chooses, by the code of the service. */
function chosen(component: string, known: readonly string[], text: string): string[] {
  const names = new Set(known);
  if (component !== 'checkbox-input') return [optionIn(names, text)].filter((one) => one !== undefined);
  const read = listReader(known)(text);
  const found = Array.isArray(read) ? (read as string[]) : text.split(',').map((one) => optionIn(names, one));
  return [...new Set(found)].filter((one) => one !== undefined);
}

onOneServer('the database and the service', () => {
  it.each(['radio-input', 'checkbox-input'])(
    'read the same options from a text: %s (D6)',
    async (component) => {
      const cases = fc.sample(fc.tuple(options, fc.array(written, { minLength: 1, maxLength: 20 })), 60);
      for (const [known, texts] of cases) {
        const built = await buildForm(database.dataSource, {
          steps: [{ f: { type: 'radio', options: known } }],
        });
        const rows = await database.dataSource.query<{ text: string; found: string[] }[]>(
          `select text, array(select value from formtrail_choices($1, $2, formtrail_most_parts($1), text) id join options using (id)) as found
           from unnest($3::text[]) text`,
          [built.fields.f!.id, component, texts],
        );
        for (const { text, found } of rows)
          expect([known, text, found.toSorted()]).toEqual([
            known,
            text,
            chosen(component, known, text).toSorted(),
          ]);
      }
    },
  );
});
