import {
  arranged,
  isSameOrder,
  neighbour,
  type Part,
  type Place,
} from '../examples/panel/src/components/outline/arrangement.js';

/** Two steps with three fields and one, and an empty step. */
const FORM = [
  { id: 1, fields: [{ id: 11 }, { id: 12 }, { id: 13 }] },
  { id: 2, fields: [{ id: 21 }] },
  { id: 3, fields: [] },
];

const written = (steps: typeof FORM) =>
  steps.map(({ id, fields }) => `${id}: ${fields.map((field) => field.id).join()}`).join('; ');
const field = (id: number): Part => ({ kind: 'field', id });
const step = (id: number): Part => ({ kind: 'step', id });
const move = (part: Part, place: Place) => written([...arranged(FORM, part, place)]);

describe('the order of steps and fields in the panel', () => {
  it.each([
    [field(13), { step: 1, before: 11 }, '1: 13,11,12; 2: 21; 3: '],
    [field(11), { step: 1, before: 13 }, '1: 12,11,13; 2: 21; 3: '],
    [field(11), { step: 1, before: undefined }, '1: 12,13,11; 2: 21; 3: '],
    [field(12), { step: 2, before: 21 }, '1: 11,13; 2: 12,21; 3: '],
    [field(12), { step: 3, before: undefined }, '1: 11,13; 2: 21; 3: 12'],
    [field(12), { step: 1, before: 12 }, '1: 11,12,13; 2: 21; 3: '],
    [step(3), { before: 1 }, '3: ; 1: 11,12,13; 2: 21'],
    [step(1), { before: undefined }, '2: 21; 3: ; 1: 11,12,13'],
    [step(2), { before: 2 }, '1: 11,12,13; 2: 21; 3: '],
    [field(99), { step: 1, before: 11 }, '1: 11,12,13; 2: 21; 3: '],
  ])('after %j has moved to %j is %s', (part, place, expected) => {
    expect(move(part, place)).toBe(expected);
  });

  it('stays the same if a part moves to where it is', () => {
    expect(isSameOrder(arranged(FORM, field(12), { step: 1, before: 13 }), FORM)).toBe(true);
    expect(isSameOrder(arranged(FORM, step(1), { before: 2 }), FORM)).toBe(true);
    expect(isSameOrder(arranged(FORM, step(1), { before: 3 }), FORM)).toBe(false);
  });

  it('can be walked through from the first field to the last step and back', () => {
    const walk = (part: Part, direction: 'up' | 'down') => {
      const stations = [];
      let steps: readonly (typeof FORM)[number][] = FORM;
      for (let place = neighbour(steps, part, direction); place; place = neighbour(steps, part, direction)) {
        steps = arranged(steps, part, place);
        stations.push(written([...steps]));
      }
      return stations;
    };
    expect(walk(field(12), 'down')).toEqual([
      '1: 11,13,12; 2: 21; 3: ',
      '1: 11,13; 2: 12,21; 3: ',
      '1: 11,13; 2: 21,12; 3: ',
      '1: 11,13; 2: 21; 3: 12',
    ]);
    expect(walk(field(21), 'up')).toEqual([
      '1: 11,12,13,21; 2: ; 3: ',
      '1: 11,12,21,13; 2: ; 3: ',
      '1: 11,21,12,13; 2: ; 3: ',
      '1: 21,11,12,13; 2: ; 3: ',
    ]);
    expect(walk(step(2), 'up')).toEqual(['2: 21; 1: 11,12,13; 3: ']);
    expect(walk(step(3), 'down')).toEqual([]);
  });
});
