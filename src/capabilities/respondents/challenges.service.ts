import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { Payload } from 'altcha-lib/v1/types';
import { Environment } from '../../config/environment.js';
import type { RespondentSettings } from './settings.js';
import type { PublishedForm } from '../../forms/published-form.js';
import { readOrGenerateKey } from '../../process/generated-key.js';
import type { ChallengeResponse } from './dto/respondents.response.js';
import { proofOfWorkUnavailableProblem } from './problems.js';

/** Milliseconds that a challenge is valid. */
const VALID_FOR = 10 * 60_000;
/** Milliseconds between two log lines about a missing key, because every visitor could cause one. */
const COMPLAIN_EVERY = 60_000;
const ALGORITHM = 'SHA-256';
/** A proof is base64 of a JSON object of about 300 characters. */
const MAX_PROOF = 2_000;
const MAX_SALT = 300;
const SHA_256 = /^[0-9a-f]{64}$/;

/** Creates challenges, and verifies their proofs of work, with `altcha-lib` (P7). */
@Injectable()
export class ChallengesService {
  private readonly logger = new Logger('Challenges');
  private key: Promise<string> | undefined;
  private complainedAt = -Infinity;

  constructor(private readonly environment: Environment) {}

  async create({ uuid, extension }: PublishedForm): Promise<ChallengeResponse | undefined> {
    const maxnumber = extension.proof_of_work;
    if (maxnumber === null) return undefined;
    const [{ createChallenge }, hmacKey] = await Promise.all([altcha(), this.keyOrFail()]);
    return createChallenge({
      algorithm: ALGORITHM,
      maxnumber,
      number: randomInt(maxnumber + 1),
      hmacKey,
      expires: new Date(Date.now() + VALID_FOR),
      params: { form: uuid },
    }) as Promise<ChallengeResponse>;
  }

  /** Returns the hash of the challenge that the proof solves. Returns undefined if it is not a valid proof for this form. */
  async verify(written: string | undefined, form: PublishedForm): Promise<Buffer | undefined> {
    const [{ extractParams, verifySolution }, hmacKey] = await Promise.all([altcha(), this.keyOrFail()]);
    const proof = written === undefined ? undefined : parseProof(written);
    if (proof === undefined) return undefined;
    const { form: uuid, expires } = extractParams(proof);
    if (uuid !== form.uuid || expires === undefined) return undefined;
    return (await verifySolution(proof, hmacKey)) ? Buffer.from(proof.challenge, 'hex') : undefined;
  }

  /** @throws Problem 503 if there is no key */
  private keyOrFail(): Promise<string> {
    const { challengeKey, databaseUrl, dataDir } = this.environment.of<RespondentSettings>();
    if (challengeKey !== undefined) return Promise.resolve(challengeKey);
    if (databaseUrl !== undefined) {
      this.complain();
      throw proofOfWorkUnavailableProblem();
    }
    return (this.key ??= readOrGenerateKey(dataDir, 'challenge.key', 'CHALLENGE_KEY'));
  }

  private complain(): void {
    const now = performance.now();
    if (now - this.complainedAt < COMPLAIN_EVERY) return;
    this.complainedAt = now;
    this.logger.error(
      'A form asks for a proof of work, but CHALLENGE_KEY is not set, so nobody can begin it. Set CHALLENGE_KEY ("openssl rand -base64 32" prints a key) to the same key on all instances, or set the proof_of_work of the form to null.',
    );
  }
}

/** Loaded on demand, because most deployments ask for no proof of work. */
const altcha = () => import('altcha-lib/v1');

/** Parses the solution of a challenge, as the ALTCHA widget sends it. */
function parseProof(written: string): Payload | undefined {
  if (written.length > MAX_PROOF) return undefined;
  let proof: Partial<Payload> | null;
  try {
    proof = JSON.parse(Buffer.from(written, 'base64').toString()) as Partial<Payload> | null;
  } catch {
    return undefined;
  }
  if (typeof proof !== 'object' || proof === null) return undefined;
  const { algorithm, challenge, number, salt, signature } = proof;
  const isWellFormed =
    algorithm === ALGORITHM &&
    isHash(challenge) &&
    isHash(signature) &&
    Number.isSafeInteger(number) &&
    typeof salt === 'string' &&
    salt.length <= MAX_SALT;
  return isWellFormed ? ({ algorithm, challenge, number, salt, signature } as Payload) : undefined;
}

const isHash = (text: unknown) => typeof text === 'string' && SHA_256.test(text);
