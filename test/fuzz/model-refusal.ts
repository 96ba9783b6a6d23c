/** The response that the model expects. */
export interface Expected {
  readonly status: number;
  /** The exact body. */
  readonly body?: unknown;
  /** For an error: its message, instead of a body. */
  readonly message?: string | RegExp;
  /** For each field error, the names under which the service may report it. It must use at least one of them. */
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

/** Rejects the request with 422 if there are field errors (E1). */
export function refuseIfWrong(mistakes: readonly (readonly string[])[]): void {
  if (mistakes.length > 0) throw new Refusal(422, 'The given data was invalid.', mistakes);
}
