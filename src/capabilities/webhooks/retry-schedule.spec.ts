import { pauseAfter, retryAfterOf } from './retry-schedule.js';

const HOUR = 3_600;

describe('attempts', () => {
  const pauses = (random: number) =>
    Array.from({ length: 10 }, (_, at) => pauseAfter(at + 1, undefined, random));

  it('are made ten times over 75 hours, at growing intervals', () => {
    const middle = pauses(0.5).slice(0, -1) as number[];
    expect(middle.reduce((sum, pause) => sum + pause)).toBeCloseTo(75 * HOUR);
    expect(middle.toSorted((one, other) => one - other)).toEqual(middle);
    expect(pauses(0.5).at(-1)).toBeUndefined();
  });

  it('vary at random by a tenth in either direction', () => {
    for (const [at, pause] of pauses(0.5).slice(0, -1).entries()) {
      expect(pauses(0)[at]! / pause!).toBeCloseTo(0.9);
      expect(pauses(1)[at]! / pause!).toBeCloseTo(1.1);
    }
  });

  it('wait as long as the receiver requests, up to 30 hours, and never less than the schedule', () => {
    expect(pauseAfter(1, 600, 0.5)).toBe(600);
    expect(pauseAfter(1, 1, 0.5)).toBe(30);
    expect(pauseAfter(1, 1_000 * HOUR, 0.5)).toBe(30 * HOUR);
    expect(pauseAfter(10, 600)).toBeUndefined();
  });
});

it.each([
  ['120', 120],
  ['Mon, 23 Nov 2026 00:01:40 GMT', 100],
  ['Sun, 22 Nov 2026 00:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
  [['1', '2'], undefined],
])('Retry-After: %s is %s seconds', (header, expected) => {
  const now = Date.parse('2026-11-23T00:00:00Z');
  expect(retryAfterOf(header, now)).toEqual(expected);
});
