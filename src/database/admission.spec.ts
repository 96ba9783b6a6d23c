import { Admission } from './admission.js';

const soon = () => performance.now() + 1_000;

async function hasCome(turn: Promise<void> | undefined): Promise<boolean> {
  const notYet = new Promise<boolean>((resolve) => setImmediate(resolve, false));
  return Promise.race([turn?.then(() => true), notYet]).then((come) => come === true);
}

describe('turns for a row', () => {
  it('are given in the order of arrival, and do not hold up other rows', async () => {
    const admission = new Admission(1);
    expect(admission.takeTurn('a', soon())).toBeUndefined();
    const second = admission.takeTurn('a', soon());
    const third = admission.takeTurn('a', soon());
    expect(admission.takeTurn('b', soon())).toBeUndefined();

    expect(await hasCome(second)).toBe(false);
    admission.endTurn('a');
    await second;
    expect(await hasCome(third)).toBe(false);
    admission.endTurn('a');
    await third;
  });

  it('are kept while thousands of other rows come and go', async () => {
    const admission = new Admission(1);
    expect(admission.takeTurn('a', soon())).toBeUndefined();
    const second = admission.takeTurn('a', soon());
    for (let row = 0; row < 5_000; row += 1) {
      expect(admission.takeTurn(`row ${row}`, soon())).toBeUndefined();
      admission.endTurn(`row ${row}`);
    }

    const third = admission.takeTurn('a', soon());
    admission.endTurn('a');
    await second;
    expect(await hasCome(third)).toBe(false);
    admission.endTurn('a');
    await third;
    admission.endTurn('a');
    expect(admission.takeTurn('a', soon())).toBeUndefined();
  });
});
