import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { asLine, type Diagnostic } from './definition-error.js';
import { lintFiles } from './lint-files.js';

const EXAMPLES = path.resolve(__dirname, '../../../examples/forms');

/** Without where in the text it is. */
const asShortLine = ({ file, path: at, message }: Diagnostic) => asLine({ file, path: at, message });

/** Each file is given as what is in it, and called by its number. */
function lint(...files: (string | object)[]) {
  const { mistakes, warnings } = lintFiles(
    files.map((file, index) => ({
      name: `${index + 1}.json`,
      text: typeof file === 'string' ? file : JSON.stringify(file),
    })),
  );
  return {
    mistakes: mistakes.map(asShortLine),
    warnings: warnings.map(asShortLine),
  };
}

const form = (slug: string, field: object) => ({
  name: 'Form',
  slug,
  steps: [
    {
      step_number: 1,
      title: 'One',
      fields: [{ code: 'a', label: 'A', field_type: { name: 'text' }, ...field }],
    },
  ],
});
const onItself = (operator: string, value: string) => ({
  conditions: [{ depends_on_field_code: 'a', operator, value, action: 'require' }],
});

describe('files that are looked at without a database', () => {
  it('give nothing to warn of where they are the examples', () => {
    const examples = readdirSync(EXAMPLES).map((name) => readFileSync(path.join(EXAMPLES, name), 'utf8'));
    expect(examples.length).toBeGreaterThan(0);
    expect(lint(...examples)).toEqual({ mistakes: [], warnings: [] });
  });

  it('have the mistakes that an import finds, and no warnings beside them', () => {
    expect(
      lint(
        '{"name": }',
        { ...form('b', onItself('less_than', 'ten')), name: '' },
        form('c', {}),
        form('c', onItself('less_than', 'ten')),
        form('d', onItself('less_than', 'ten')),
      ),
    ).toEqual({
      mistakes: [
        '1.json: a value is expected here, but there is }',
        '2.json: name: must be a text of 1 to 255 characters, but has 0',
        '4.json: slug: is a duplicate of that in 3.json; a form is imported from one file',
      ],
      warnings: [
        expect.stringMatching(/^5\.json: steps\[0\]\.fields\[0\]\.conditions\[0\]\.value: must be a decimal/),
      ],
    });
  });

  it('say where in the text it is, in the order of the text', () => {
    const text = (condition: string, name: string) => `{
  "slug": "places", "steps": [{
    "step_number": 1, "title": "One", "fields": [
      {"code": "first_name", "label": "", "field_type": {"name": "text"}, "conditions": [
        {"depends_on_field_code": "first_name", ${condition}}
      ]}
    ]
  }],
  "name": "${name}"
}`;
    const condition = '"operator": "less_than", "value": "ten", "action": "require"';
    const file = (changed: string, name = 'Places') => [{ name: 'a.json', text: text(changed, name) }];
    const places = (found: readonly Diagnostic[]) => found.map((one) => asLine(one).slice(0, 60));

    expect(places(lintFiles(file('"operator": "less"', '')).mistakes)).toEqual([
      'a.json: line 5, column 9: steps[0].fields[0].conditions[0].a',
      'a.json: line 5, column 49: steps[0].fields[0].conditions[0].',
      'a.json: line 9, column 3: name: must be a text of 1 to 255 c',
    ]);
    expect(places(lintFiles(file(condition)).warnings)).toEqual([
      'a.json: line 5, column 74: steps[0].fields[0].conditions[0].',
    ]);
  });

  it('are rejected where only a database that has the same already would take them', () => {
    expect(
      lint(
        form('a', { code: 'First Name' }),
        form('b', { field_type: { name: 'rating' } }),
        form('c', { field_type: { name: 'text', component: 'rich-text' } }),
        form('d', { rules: [{ kind: 'pattern', value: '(a)\\1' }] }),
      ),
    ).toEqual({
      mistakes: [
        expect.stringMatching(
          /^1\.json: steps\[0\]\.fields\[0\]\.code: must be snake_case.* is "First Name"$/,
        ),
        expect.stringMatching(/^2\.json: .*\.component: must be given for "rating".*$/),
        expect.stringMatching(/^3\.json: .*\.component: must be "text-input".* is "rich-text"$/),
        expect.stringMatching(/^4\.json: .*\.rules\[0\]\.value: must be a regular expression of RE2, .*$/),
      ],
      warnings: [],
    });
  });

  it('are rejected where an entity has the name of a field, as an import does of a new form (R3)', () => {
    const entities = [{ name: 'a', label: 'A' }];
    expect(lint({ ...form('a', {}), entities })).toEqual({
      mistakes: [
        '1.json: entities[0].name: must not be the code of a field too, but steps[0].fields[0].code is "a" as well',
      ],
      warnings: [],
    });
  });

  it('are warned of where nobody can add the records that an entity needs (R3, C14)', () => {
    const other = { code: 'b', label: 'B', field_type: { name: 'text' } };
    const warned = (min_records: number | null, field: object) => {
      const { steps, ...rest } = form('a', { entity: 'line', is_repeatable: true, ...field });
      steps[0]!.fields.push(other);
      const entities = [{ name: 'line', label: 'Line', is_repeatable: true, min_records }];
      const { mistakes, warnings } = lint({ ...rest, steps, entities });
      expect(mistakes).toEqual([]);
      return warnings.filter((line) => line.includes('min_records'));
    };
    const AT = '1.json: entities[0].min_records:';
    const hidden = ['empty', 'not_empty'].map((operator) => {
      return { depends_on_field_code: 'b', operator, action: 'hide' };
    });

    expect(warned(1, {})).toEqual([]);
    expect(warned(1, { conditions: hidden.slice(0, 1) })).toEqual([]);
    expect(warned(1, { entity: null })).toEqual([
      `${AT} asks for records in which nothing is asked: no field has this entity`,
    ]);
    expect(warned(1, { conditions: hidden })).toEqual([
      `${AT} is never asked for, because no field of the entity can ever be visible`,
    ]);
    expect(warned(1, { is_repeatable: false })).toEqual([
      `${AT} asks for records in which nothing is asked: no field of the entity is repeatable`,
    ]);
    for (const none of [0, null]) expect(warned(none, { entity: null, conditions: hidden })).toEqual([]);
  });

  it('are warned of where an option is blank, which completion takes for no value (J7)', () => {
    const options = ['x', ' ', '\u200b', ''].map((value) => ({ label: 'One', value }));
    const isBlank = 'is blank, so that strict completion takes it for no value';
    expect(lint(form('a', { field_type: { name: 'select' }, options })).warnings).toEqual(
      [1, 2].map((at) => `1.json: steps[0].fields[0].options[${at}].value: ${isBlank}`),
    );
  });

  it('may use a field type that one of them brings, and know the components of the first ones', () => {
    const scale = { name: 'scale', component: 'scale-input' };
    expect(
      lint(
        form('a', { field_type: scale }),
        form('b', { field_type: { name: 'scale' } }),
        form('c', {
          field_type: { name: 'radio' },
          options: [{ label: 'X', value: 'x' }],
          ...onItself('equals', 'y'),
        }),
      ),
    ).toEqual({
      mistakes: [],
      warnings: [expect.stringContaining('must name options of "a" ("x"), but has "y"')],
    });
  });
});
