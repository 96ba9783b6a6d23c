/** Runs `work` in its own span, if tracing is enabled. */
export type InSpan = <T>(
  name: string,
  work: (setAttribute: (name: string, value: string | number) => void) => Promise<T>,
) => Promise<T>;

export const withoutSpan: InSpan = (_, work) => work(() => undefined);
