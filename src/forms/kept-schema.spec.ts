import { formSchema } from './forms.examples.js';
import { readKeptSchema } from './kept-schema.js';

describe('readKeptSchema()', () => {
  it('reads a schema as it was kept', () => {
    expect(readKeptSchema({ data: formSchema })).toBe(formSchema);
  });

  it.each(['{}', '[]', '1', 'null', '"data"', '{"data": null}', '{"data": {}}', '{"data": {"steps": []}}'])(
    'reads no schema from %s',
    (text) => {
      expect(readKeptSchema(JSON.parse(text))).toBeUndefined();
    },
  );
});
