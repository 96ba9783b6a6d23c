import { stepProgress } from './submission.presenter.js';

describe('S8: the progress of a submission', () => {
  it.each([
    [1, 2, false, 50],
    [2, 2, true, 100],
    [1, 1, true, 100],
    [1, 3, false, 33],
    [2, 3, false, 67],
    [1, 8, false, 13],
    [199, 200, false, 100],
    [1, 1_000, false, 0],
    // A form without steps, or with fewer steps than the submission has reached.
    [1, 0, true, 100],
    [3, 2, true, 100],
    [2, 0, true, 100],
  ])('position %i of %i: last %s, %i percent', (position, steps, isLastStep, percentage) => {
    expect(stepProgress(position, steps)).toEqual({ isLastStep, percentage });
  });

  it('differs by at most half a percent from the exact share, and never decreases', () => {
    for (let steps = 1; steps <= 100; steps += 1) {
      const all = Array.from({ length: steps }, (_, index) => stepProgress(index + 1, steps).percentage);
      expect(all).toEqual(all.toSorted((one, other) => one - other));
      // Checks |percentage - 100 * position / steps| <= 1/2 without a division, which would round.
      const isNearest = (percentage: number, index: number) =>
        Number.isInteger(percentage) && Math.abs(2 * percentage * steps - 200 * (index + 1)) <= steps;
      expect(all.filter((percentage, index) => !isNearest(percentage, index))).toEqual([]);
    }
  });
});
