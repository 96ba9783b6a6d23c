import { createChallenge, solveChallenge, verifySolution } from 'altcha-lib/v1';
import type { Challenge } from 'formtrail-client';
import { solve } from '../src/proof.js';
import { Search } from '../src/search.js';

const KEY = Buffer.alloc(32, 5).toString('base64');

const challengeOf = (options: { maxnumber: number; number?: number }) =>
  createChallenge({ hmacKey: KEY, ...options }) as Promise<Challenge>;

describe('the solver of challenges', () => {
  it.each([0, 249, 250, 251, 4_999])('finds the number %i, as altcha-lib does', async (number) => {
    const challenge = await challengeOf({ maxnumber: 4_999, number });
    const proof = await solve(challenge, () => undefined);
    expect(await verifySolution(proof, KEY)).toBe(true);
    const { promise } = solveChallenge(challenge.challenge, challenge.salt, 'SHA-256', 4_999);
    expect(JSON.parse(Buffer.from(proof, 'base64').toString())).toEqual({
      ...{ algorithm: 'SHA-256', challenge: challenge.challenge, number: (await promise)?.number },
      ...{ salt: challenge.salt, signature: challenge.signature },
    });
  });

  it('works on the main thread in slices, lets other code run in between, and reports the progress', async () => {
    const challenge = await challengeOf({ maxnumber: 20_000, number: 20_000 });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const progress: number[] = [];
    await solve(challenge, (part) => progress.push(part));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(1);
    expect(progress.length).toBeGreaterThan(2);
    expect(progress.every((part, at) => part >= (progress[at - 1] ?? 0) && part <= 1)).toBe(true);
  });

  it('rejects a challenge that has no solution, or needs another algorithm', async () => {
    const challenge = await challengeOf({ maxnumber: 1_000, number: 1_000 });
    await expect(solve({ ...challenge, maxnumber: 999 }, () => undefined)).rejects.toThrow('no solution');
    const other = { ...challenge, algorithm: 'SHA-512' } as unknown as Challenge;
    await expect(solve(other, () => undefined)).rejects.toThrow('SHA-512');
    expect(() => new Search({ ...challenge, challenge: '' }).run(1_000)).toThrow('no solution');
  });
});
