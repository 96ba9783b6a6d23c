import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { asLine, type Diagnostic } from './definition-error.js';
import { lintFiles } from './lint-files.js';

const EXAMPLES = path.resolve(__dirname, '../../../examples/forms');

/** Formats a diagnostic without line and column. */
const asShortLine = ({ file, path: at, message }: Diagnostic) => asLine({ file, path: at, message });

/** Lints files with these contents. Their names are numbers. */
function lint(...files: (string | object)[]) {
  const { mistakes, warnings } = lintFiles(
    files.map((file, index) => ({
      name: `${index + 1}.json`,
      text: typeof file === 'string' ? file : JSON.stringify(file),
    })),
  );
  return { mistakes: mistakes.map(asShortLine), warnings: warnings.map(asShortLine) };
}

const form = (slug: string, field: object, ...others: object[]) => {
  const first = { code: 'a', label: 'A', field_type: { name: 'text' }, ...field };
  return { name: 'Form', slug, steps: [{ step_number: 1, title: 'One', fields: [first, ...others] }] };
};
const onItself = (operator: string, value: string) => ({
  conditions: [{ depends_on_field_code: 'a', operator, value, action: 'require' }],
});

describe('lintFiles()', () => {
  it('finds nothing in the example forms', () => {
    const examples = readdirSync(EXAMPLES).map((name) => readFileSync(path.join(EXAMPLES, name), 'utf8'));
    expect(examples.length).toBeGreaterThan(0);
    expect(lint(...examples)).toEqual({ mistakes: [], warnings: [] });
  });

  it('reports the same mistakes as an import, and warnings only for files without mistakes', () => {
    const warned = onItself('less_than', 'ten');
    expect(
      lint(
        '{"name": }',
        { ...form('b', warned), name: '' },
        form('c', {}),
        form('c', warned),
        form('d', warned),
      ),
    ).toEqual({
      mistakes: [
        '1.json: a value is expected here, but there is }',
        '2.json: name: must be a text of 1 to 255 characters, but has 0',
        '4.json: slug: is the same as in 3.json, but a form must be in only one file',
      ],
      warnings: [
        expect.stringMatching(/^5\.json: steps\[0\]\.fields\[0\]\.conditions\[0\]\.value: must be a decimal/),
      ],
    });
  });

  it('reports line and column, in the order of the text', () => {
    const places = (condition: string, name: string) => {
      const text = `{
  "slug": "places", "steps": [{
    "step_number": 1, "title": "One", "fields": [
      {"code": "first_name", "label": "", "field_type": {"name": "text"}, "conditions": [
        {"depends_on_field_code": "first_name", ${condition}}
      ]}
    ]
  }],
  "name": "${name}"
}`;
      const { mistakes, warnings } = lintFiles([{ name: 'a.json', text }]);
      return [...mistakes, ...warnings].map((one) => asLine(one).slice(0, 60));
    };
    expect(places('"operator": "less"', '')).toEqual([
      'a.json: line 5, column 9: steps[0].fields[0].conditions[0].a',
      'a.json: line 5, column 49: steps[0].fields[0].conditions[0].',
      'a.json: line 9, column 3: name: must be a text of 1 to 255 c',
    ]);
    expect(places('"operator": "less_than", "value": "ten", "action": "require"', 'Places')).toEqual([
      'a.json: line 5, column 74: steps[0].fields[0].conditions[0].',
    ]);
  });

  it('rejects values that an import accepts only if they are stored already (R3)', () => {
    const { mistakes, warnings } = lint(
      form('a', { code: 'First Name' }),
      form('b', { field_type: { name: 'rating' } }),
      form('c', { field_type: { name: 'text', component: 'rich-text' } }),
      form('d', { rules: [{ kind: 'pattern', value: '(a)\\1' }] }),
      { ...form('e', {}), entities: [{ name: 'a', label: 'A' }] },
    );
    expect(mistakes).toEqual([
      expect.stringMatching(/^1\.json: steps\[0\]\.fields\[0\]\.code: must be snake_case.* is "First Name"$/),
      expect.stringMatching(
        /^2\.json: .*\.field_type\.name: must be one of text, email,.* but is "rating";.*$/,
      ),
      expect.stringMatching(/^3\.json: .*\.component: must be "text-input".* is "rich-text"$/),
      expect.stringMatching(/^4\.json: .*\.rules\[0\]\.value: must be an RE2 regular expression, .*$/),
      '5.json: entities[0].name: must differ from all field codes, but steps[0].fields[0].code is "a" too',
    ]);
    expect(warnings).toEqual([]);
  });

  const hidden = ['empty', 'not_empty'].map((operator) => {
    return { depends_on_field_code: 'b', operator, action: 'hide' };
  });
  const NO_VALUES = 'requires records, but no field';
  it.each<[number | null, object, string | undefined]>([
    [1, {}, undefined],
    [1, { conditions: hidden.slice(0, 1) }, undefined],
    [1, { entity: null }, `${NO_VALUES} has this entity; add such a field`],
    [1, { conditions: hidden }, 'has no effect, because no field of the entity can ever be visible'],
    [1, { is_repeatable: false }, `${NO_VALUES} of the entity is repeatable; make one repeatable`],
    [0, { entity: null, conditions: hidden }, undefined],
    [null, { entity: null, conditions: hidden }, undefined],
  ])(
    'warns of min_records that users cannot fill in (R3, C14): %j with a field %j',
    (min_records, field, why) => {
      const other = { code: 'b', label: 'B', field_type: { name: 'text' } };
      const entities = [{ name: 'line', label: 'Line', is_repeatable: true, min_records }];
      const source = form('a', { entity: 'line', is_repeatable: true, ...field }, other);
      const { mistakes, warnings } = lint({ ...source, entities });
      expect(mistakes).toEqual([]);
      const found = warnings.filter((line) => line.includes('min_records'));
      expect(found).toEqual(why === undefined ? [] : [`1.json: entities[0].min_records: ${why}`]);
    },
  );

  it('warns of a blank option, which completion treats as no value (J7)', () => {
    const options = ['x', ' ', '\u200b', ''].map((value) => ({ label: 'One', value }));
    const isBlank = 'is blank, so strict completion treats it as no value';
    expect(lint(form('a', { field_type: { name: 'select' }, options })).warnings).toEqual(
      [1, 2].map((at) => `1.json: steps[0].fields[0].options[${at}].value: ${isBlank}`),
    );
  });

  it('knows the field types of a new database, and types that an earlier file adds', () => {
    const scale = { name: 'scale', component: 'scale-input' };
    const options = [{ label: 'X', value: 'x' }];
    expect(
      lint(
        form('a', { field_type: scale }),
        form('b', { field_type: { name: 'scale' } }),
        form('c', { field_type: { name: 'radio' }, options, ...onItself('equals', 'y') }),
      ),
    ).toEqual({
      mistakes: [],
      warnings: [expect.stringContaining('must name options of "a" ("x"), but has "y"')],
    });
  });
});
