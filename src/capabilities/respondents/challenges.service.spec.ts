import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Logger } from '@nestjs/common';
import { solveChallenge } from 'altcha-lib/v1';
import { Environment } from '../../config/environment.js';
import { FORM_EXTENSION } from '../../forms/entities/form.js';
import type { PublishedForm } from '../../forms/published-form.js';
import type { RespondentSettings } from './settings.js';
import { ChallengesService } from './challenges.service.js';

const KEY = Buffer.alloc(32, 1).toString('base64');
const form = {
  uuid: '3f0c9a52-7d41-4b8e-9c26-51e8a7d0b314',
  extension: { ...FORM_EXTENSION, access: 'public', proof_of_work: 1_000 },
} as PublishedForm;

const service = (settings: Partial<Environment & RespondentSettings>) =>
  new ChallengesService(Object.assign(new Environment(), settings));
const encode = (proof: object) => Buffer.from(JSON.stringify(proof)).toString('base64');

async function solved(challenges: ChallengesService): Promise<string> {
  const { maxnumber, ...challenge } = (await challenges.create(form))!;
  const { promise } = solveChallenge(challenge.challenge, challenge.salt, challenge.algorithm, maxnumber);
  return encode({ ...challenge, number: (await promise)!.number });
}

describe('a challenge', () => {
  it('expires after 10 minutes', async () => {
    const challenges = service({ challengeKey: KEY });
    const proof = await solved(challenges);
    const now = jest.spyOn(Date, 'now');
    const { 1: expires } = /expires=(\d+)/.exec(Buffer.from(proof, 'base64').toString())!;
    try {
      now.mockReturnValue(Number(expires) * 1_000);
      expect(await challenges.verify(proof, form)).toBeDefined();
      now.mockReturnValue(Number(expires) * 1_000 + 1);
      expect(await challenges.verify(proof, form)).toBeUndefined();
    } finally {
      now.mockRestore();
    }
  });

  it('can have every number from 0 to the highest one', async () => {
    const challenges = service({ challengeKey: KEY });
    const numbers = new Set<number>();
    for (let tried = 0; tried < 300 && numbers.size < 3; tried += 1) {
      const { challenge, salt } = (await challenges.create({
        ...form,
        extension: { ...form.extension, proof_of_work: 2 },
      }))!;
      numbers.add((await solveChallenge(challenge, salt, 'SHA-256', 2).promise)!.number);
    }
    expect([...numbers].toSorted()).toEqual([0, 1, 2]);
  });
});

describe('the key of challenges', () => {
  it('is generated with the embedded database, once for all processes of the data directory', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'formtrail-challenges-'));
    try {
      const [one, other] = [service({ dataDir }), service({ dataDir })];
      const proofs = await Promise.all([solved(one), solved(other)]);
      expect(await other.verify(proofs[0], form)).toBeDefined();
      expect(await one.verify(proofs[1], form)).toBeDefined();
      const key = (await readFile(path.join(dataDir, 'challenge.key'), 'utf8')).trim();
      expect(Buffer.from(key, 'base64')).toHaveLength(32);
      expect(await service({ challengeKey: key }).verify(proofs[0], form)).toBeDefined();
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });

  it('is missing with DATABASE_URL but no CHALLENGE_KEY, which the log says once a minute, with the cure', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const now = jest.spyOn(performance, 'now').mockReturnValue(5_000);
    try {
      const challenges = service({ databaseUrl: 'postgres://x' });
      const failAt = async (time: number) => {
        now.mockReturnValue(time);
        await expect(challenges.create(form)).rejects.toMatchObject({ status: 503 });
        await expect(challenges.verify('x', form)).rejects.toMatchObject({ status: 503 });
        return log.mock.calls.length;
      };
      expect(await failAt(5_000)).toBe(1);
      expect(String(log.mock.calls[0]?.[0])).toMatch(/CHALLENGE_KEY is not set.*openssl rand -base64 32/);
      expect(await failAt(64_999)).toBe(1);
      expect(await failAt(65_000)).toBe(2);
    } finally {
      now.mockRestore();
      log.mockRestore();
    }
  });
});

it('verifying the worst proofs takes less than a millisecond each', async () => {
  const challenges = service({ challengeKey: KEY });
  const { salt: _, ...rest } = JSON.parse(
    Buffer.from(await solved(challenges), 'base64').toString(),
  ) as Record<string, unknown>;
  const salt = `?form=${form.uuid}&expires=${Math.floor(Date.now() / 1_000) + 300}`.padEnd(300, '&a=b');
  const worst = [
    encode({ ...rest, salt }),
    encode({ ...rest, salt: salt.replaceAll('&a', '%26') }),
    encode({ ...rest, salt: '?'.repeat(300) }),
    Buffer.from('['.repeat(1_400)).toString('base64'),
    Buffer.from('"\\u0000'.repeat(180)).toString('base64'),
    'A'.repeat(2_000),
    'A'.repeat(1_000_000),
  ];
  for (const proof of worst) expect(await challenges.verify(proof, form)).toBeUndefined();
  const startedAt = process.cpuUsage();
  for (let round = 0; round < 20; round += 1) for (const proof of worst) await challenges.verify(proof, form);
  const { user, system } = process.cpuUsage(startedAt);
  expect((user + system) / 1_000 / (20 * worst.length)).toBeLessThan(1);
});
