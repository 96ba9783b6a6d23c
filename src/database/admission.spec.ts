import { Admission } from './admission.js';

const soon = () => performance.now() + 1_000;

async function hasCome(turn: Promise<void> | undefined): Promise<boolean> {
  const notYet = new Promise<boolean>((resolve) => setImmediate(resolve, false));
  return Promise.race([turn?.then(() => true), notYet]).then((come) => come === true);
}

describe('what writes to a row', () => {
  it('is executed in the order of arrival, and does not hold up other rows', async () => {
    const admission = new Admission(1);
    expect(admission.acquireRow('a', soon())).toBeUndefined();
    const second = admission.acquireRow('a', soon());
    const third = admission.acquireRow('a', soon());
    expect(admission.acquireRow('b', soon())).toBeUndefined();

    expect(await hasCome(second)).toBe(false);
    admission.releaseRow('a');
    await second;
    expect(await hasCome(third)).toBe(false);
    admission.releaseRow('a');
    await third;
  });

  it('keeps its order while thousands of other rows come and go', async () => {
    const admission = new Admission(1);
    expect(admission.acquireRow('a', soon())).toBeUndefined();
    const second = admission.acquireRow('a', soon());
    for (let row = 0; row < 5_000; row += 1) {
      expect(admission.acquireRow(`row ${row}`, soon())).toBeUndefined();
      admission.releaseRow(`row ${row}`);
    }

    const third = admission.acquireRow('a', soon());
    admission.releaseRow('a');
    await second;
    expect(await hasCome(third)).toBe(false);
    admission.releaseRow('a');
    await third;
    admission.releaseRow('a');
    expect(admission.acquireRow('a', soon())).toBeUndefined();
  });
});
