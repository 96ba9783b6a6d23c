const TYPES = 'text email number select radio date textarea text select checkbox'.split(' ');
const OPTIONS = ['north', 'east', 'south', 'west', 'centre'];

/** Number of fields, from the first field of the form, that have a value in every submission. */
export const STORED_FIELDS = 5;

/**
 * SQL for the values of fields 1 to 5 of submission n. PostgreSQL generates a million
 * submissions faster than this program.
 */
export const STORED_VALUE = `case field when 1 then 'Person ' || n when 2 then 'person' || n || '@example.org'
  when 3 then (n % 90)::text when 4 then (array['${OPTIONS.join("','")}'])[n % 5 + 1] else (array['north','east'])[n % 2 + 1] end`;

/** A form definition of 30 fields in three steps. All but the first five fields have conditions. Its schema has about 19 kB. */
export const FORM = {
  uuid: '5d0f2f6e-2c3b-4f0a-8c1e-0b7d6a9e4c11',
  name: 'Benchmark',
  slug: 'benchmark',
  description: 'A form of thirty fields in three steps, as an insurance or an application might have.',
  steps: [1, 2, 3].map((step) => ({
    step_number: step,
    title: `Step ${step}`,
    description: 'A paragraph that tells what this step asks for, and why it has to be asked.',
    fields: TYPES.map((type, index) => field((step - 1) * TYPES.length + index + 1, type)),
  })),
};

function field(number, type) {
  const hasOptions = ['select', 'radio', 'checkbox'].includes(type);
  return {
    code: `field_${number}`,
    label: `The label of field number ${number}`,
    placeholder: 'What a person might enter',
    description: 'One or two sentences that help to answer, with an example of what is meant.',
    field_type: { name: type, component: `${type}-input` },
    is_required: number % 3 === 0,
    options: hasOptions ? OPTIONS.map((value) => ({ value, label: `In the ${value}` })) : [],
    conditions: number <= STORED_FIELDS ? [] : conditions(number),
  };
}

/** Returns two conditions for a field. All fields together use every operator and every action. */
function conditions(number) {
  const all = [
    ['field_4', 'equals', 'north', 'show'],
    ['field_3', 'greater_than', '40', 'require'],
    ['field_4', 'in', 'south, west', 'hide'],
    ['field_2', 'contains', '7@', 'show'],
    ['field_5', 'not_equals', 'east', 'require'],
    ['field_3', 'less_than', '70', 'show'],
    ['field_1', 'not_empty', '', 'require'],
    ['field_4', 'not_in', 'east, centre', 'hide'],
    ['field_6', 'empty', '', 'show'],
  ];
  return [all[number % all.length], all[(number * 2 + 1) % all.length]].map(
    ([depends_on_field_code, operator, value, action]) => ({
      depends_on_field_code,
      operator,
      value,
      action,
    }),
  );
}
