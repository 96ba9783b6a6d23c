import {
  arranged,
  isSameArrangement,
  neighbour,
  type Part,
  type Place,
} from '../examples/panel/src/components/outline/arrangement.js';

interface Field {
  readonly id: number;
  readonly entityId: number | null;
}

interface Step {
  readonly id: number;
  readonly fields: readonly Field[];
}

function field(id: number, entityId: number | null = null): Field {
  return { id, entityId };
}

/** Two steps with three fields and one, and an empty step. */
const FORM: readonly Step[] = [
  { id: 1, fields: [field(11), field(12), field(13)] },
  { id: 2, fields: [field(21)] },
  { id: 3, fields: [] },
];
/** A step with two fields of the group 7 between two others. */
const GROUPED: readonly Step[] = [{ id: 1, fields: [field(11), field(12, 7), field(13, 7), field(14)] }];

const written = (steps: readonly Step[]) =>
  steps.map(({ id, fields }) => `${id}: ${fields.map(inGroup).join()}`).join('; ');
const inGroup = ({ id, entityId }: Field) => (entityId === null ? `${id}` : `${id}(${entityId})`);
const part = (id: number): Part => ({ kind: 'field', id });
const step = (id: number): Part => ({ kind: 'step', id });
const move = (form: readonly Step[], moved: Part, place: Place) => written(arranged(form, moved, place));

describe('the order of steps and fields in the panel', () => {
  it.each([
    [part(13), { step: 1, entityId: null, before: 11 }, '1: 13,11,12; 2: 21; 3: '],
    [part(11), { step: 1, entityId: null, before: 13 }, '1: 12,11,13; 2: 21; 3: '],
    [part(11), { step: 1, entityId: null, before: undefined }, '1: 12,13,11; 2: 21; 3: '],
    [part(12), { step: 2, entityId: null, before: 21 }, '1: 11,13; 2: 12,21; 3: '],
    [part(12), { step: 3, entityId: null, before: undefined }, '1: 11,13; 2: 21; 3: 12'],
    [part(12), { step: 1, entityId: null, before: 12 }, '1: 11,12,13; 2: 21; 3: '],
    [step(3), { before: 1 }, '3: ; 1: 11,12,13; 2: 21'],
    [step(1), { before: undefined }, '2: 21; 3: ; 1: 11,12,13'],
    [step(2), { before: 2 }, '1: 11,12,13; 2: 21; 3: '],
    [part(99), { step: 1, entityId: null, before: 11 }, '1: 11,12,13; 2: 21; 3: '],
  ])('after %j has moved to %j is %s', (moved, place, expected) => {
    expect(move(FORM, moved, place)).toBe(expected);
  });

  it.each([
    [part(14), 7, 12, '1: 11,14(7),12(7),13(7)'],
    [part(14), 7, 14, '1: 11,12(7),13(7),14(7)'],
    [part(11), 7, 14, '1: 12(7),13(7),11(7),14'],
    [part(12), null, 14, '1: 11,13(7),12,14'],
    [part(12), null, 12, '1: 11,12,13(7),14'],
  ])('after %j has moved into the group %j before %j is %s', (moved, entityId, before, expected) => {
    expect(move(GROUPED, moved, { step: 1, entityId, before })).toBe(expected);
  });

  it('stays the same if a part moves to where it is', () => {
    expect(isSameArrangement(arranged(FORM, part(12), { step: 1, entityId: null, before: 13 }), FORM)).toBe(
      true,
    );
    expect(isSameArrangement(arranged(FORM, step(1), { before: 2 }), FORM)).toBe(true);
    expect(isSameArrangement(arranged(FORM, step(1), { before: 3 }), FORM)).toBe(false);
  });

  it('can be walked through from the first field to the last step and back', () => {
    const walk = (moved: Part, direction: 'up' | 'down') => walked(FORM, moved, direction);
    expect(walk(part(12), 'down')).toEqual([
      '1: 11,13,12; 2: 21; 3: ',
      '1: 11,13; 2: 12,21; 3: ',
      '1: 11,13; 2: 21,12; 3: ',
      '1: 11,13; 2: 21; 3: 12',
    ]);
    expect(walk(part(21), 'up')).toEqual([
      '1: 11,12,13,21; 2: ; 3: ',
      '1: 11,12,21,13; 2: ; 3: ',
      '1: 11,21,12,13; 2: ; 3: ',
      '1: 21,11,12,13; 2: ; 3: ',
    ]);
    expect(walk(step(2), 'up')).toEqual(['2: 21; 1: 11,12,13; 3: ']);
    expect(walk(step(3), 'down')).toEqual([]);
  });

  it('is walked through past a group, and out of it at its edge', () => {
    expect(walked(GROUPED, part(11), 'down')).toEqual(['1: 12(7),13(7),11,14', '1: 12(7),13(7),14,11']);
    expect(walked(GROUPED, part(14), 'up')).toEqual(['1: 11,14,12(7),13(7)', '1: 14,11,12(7),13(7)']);
    expect(walked(GROUPED, part(12), 'down')).toEqual([
      '1: 11,13(7),12(7),14',
      '1: 11,13(7),12,14',
      '1: 11,13(7),14,12',
    ]);
    expect(walked(GROUPED, part(12), 'up')).toEqual(['1: 11,12,13(7),14', '1: 12,11,13(7),14']);
  });
});

function walked(form: readonly Step[], moved: Part, direction: 'up' | 'down'): string[] {
  const stations = [];
  let steps = form;
  for (let place = neighbour(steps, moved, direction); place; place = neighbour(steps, moved, direction)) {
    steps = arranged(steps, moved, place);
    stations.push(written(steps));
  }
  return stations;
}
