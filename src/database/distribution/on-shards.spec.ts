import { asAnotherProgram, testServer } from '../../../test/support/test-server.js';
import { valuesOfRow } from './on-shards.js';

it('parses the text of a row with any values', async () => {
  const values = [
    '1',
    null,
    '',
    ' ',
    'a,b',
    '(c)',
    '"',
    '\\',
    '\\"',
    '""',
    "it's",
    'd\ne',
    '{"f": "\\"g\\""}',
    null,
  ];
  const row = values.map((_, at) => `$${at + 1}::text`).join();
  await asAnotherProgram(testServer().connection, async (client) => {
    const { rows } = await client.query<{ row: string }>(`select row(${row})::text as row`, values);
    expect(valuesOfRow(rows[0]!.row)).toEqual(values);
  });
});
