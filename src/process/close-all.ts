export type Close = () => Promise<unknown>;

/** Calls all functions in order, even if some of them fail. Returns the errors. */
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
 * Runs `work`, then closes the resources that it used. Throws the first error, because later errors are often
 * consequences of the first error. Passes the later errors to `report`.
 *
 * @param closing the functions that close the resources. The work may add functions while it runs.
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
