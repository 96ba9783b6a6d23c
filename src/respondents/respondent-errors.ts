import { fieldError, invalid } from '../http/errors/problems.js';

/** One error for a missing, wrong, expired or used proof, so that it tells nothing about the challenge. */
export const invalidProof = () =>
  invalid({
    proof: [
      fieldError(
        'invalid_proof',
        'The form asks for a proof of work that was not used before. Solve a new challenge, and send its solution.',
      ),
    ],
  });

/** One error for an unknown, used or expired code, so that it tells nothing about other codes. */
export const invalidCode = () =>
  invalid({
    code: [
      fieldError(
        'invalid_code',
        'The code is wrong, expired or already used. Ask for a new code on the first device.',
      ),
    ],
  });
