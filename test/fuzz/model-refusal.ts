/** An answer as the model expects it. */
export interface Expected {
  readonly status: number;
  /** The whole body, to the letter. */
  readonly body?: unknown;
  /** Instead of a body: the message of a refusal. */
  readonly message?: string | RegExp;
  /** For each mistake the names under which it may be said; one of them is enough. */
  readonly mistakes?: readonly (readonly string[])[] | undefined;
  readonly etag?: string | undefined;
  readonly location?: string;
}

export class Refusal extends Error {
  readonly expected: Expected;

  constructor(status: number, message: string | RegExp, mistakes?: Expected['mistakes']) {
    super(String(message));
    this.expected = { status, message, mistakes };
  }
}

export function refuse(status: number, message: string | RegExp): never {
  throw new Refusal(status, message);
}

/** E1 */
export function refuseIfWrong(mistakes: readonly (readonly string[])[]): void {
  if (mistakes.length > 0) throw new Refusal(422, 'The given data was invalid.', mistakes);
}
