/** Runs `work` in a span of its own, a named part of a trace, if traces are recorded. */
export type InSpan = <T>(
  name: string,
  work: (setAttribute: (name: string, value: string | number) => void) => Promise<T>,
) => Promise<T>;

export const withoutSpan: InSpan = (_, work) => work(() => undefined);
