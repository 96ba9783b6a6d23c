export type Close = () => Promise<unknown>;

/** Closes in this order, each one even if another failed. Returns the errors. */
export async function closeAll(closing: Iterable<Close>): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const close of closing) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

/**
 * Does the work and then closes what it used. Throws the first error, because the later ones are often its consequences;
 * `report` is told of those.
 *
 * @param closing may grow during the work
 */
export async function closeAfter<T>(
  work: () => Promise<T>,
  closing: Iterable<Close>,
  report: (error: Error) => void = (error) => process.emitWarning(error),
): Promise<T> {
  let value: T | undefined;
  const errors: unknown[] = [];
  try {
    value = await work();
  } catch (error) {
    errors.push(error);
  }
  errors.push(...(await closeAll(closing)));
  for (const error of errors.slice(1)) report(error instanceof Error ? error : new Error(String(error)));
  if (errors.length > 0) throw errors[0];
  return value as T;
}
