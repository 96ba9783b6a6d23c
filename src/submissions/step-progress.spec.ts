import { stepProgress } from './submission.presenter.js';

describe('S8: the progress of a submission', () => {
  it.each([
    // The first two rows are the examples of the specification, a form with two steps.
    [1, 2, false, 50],
    [2, 2, true, 100],
    [1, 1, true, 100],
    [1, 3, false, 33],
    [2, 3, false, 67],
    [3, 3, true, 100],
    [1, 6, false, 17],
    [5, 6, false, 83],
    [1, 7, false, 14],
    [1, 8, false, 13],
    [3, 8, false, 38],
    [1, 200, false, 1],
    [199, 200, false, 100],
    [1, 1_000, false, 0],
    [999, 1_000, false, 100],
  ])('position %i of %i: last %s, %i percent', (position, steps, isLastStep, percentage) => {
    expect(stepProgress(position, steps)).toEqual({ isLastStep, percentage });
  });

  it('is 100 percent, on the last step, if the form has no steps', () => {
    expect(stepProgress(1, 0)).toEqual({ isLastStep: true, percentage: 100 });
  });

  it.each([
    [3, 2],
    [9, 1],
    [2, 0],
  ])('treats position %i as the last step of a form that has only %i steps left', (position, steps) => {
    expect(stepProgress(position, steps)).toEqual({ isLastStep: true, percentage: 100 });
  });

  it('differs by at most half a percent from the exact share, and never decreases', () => {
    const wrong: string[] = [];
    for (let steps = 1; steps <= 300; steps += 1) {
      let before = 0;
      for (let position = 1; position <= steps; position += 1) {
        const { percentage } = stepProgress(position, steps);
        // Checks |percentage - 100 * position / steps| <= 1/2 without a division, which would round.
        const isNearest = Math.abs(2 * percentage * steps - 200 * position) <= steps;
        if (!Number.isInteger(percentage) || !isNearest || percentage < before) {
          wrong.push(`${position} of ${steps}: ${percentage}`);
        }
        before = percentage;
      }
    }
    expect(wrong).toEqual([]);
  });
});
