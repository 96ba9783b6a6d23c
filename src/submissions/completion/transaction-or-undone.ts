import { isRowLocked } from '../../database/retry-until.js';
import type { Executor } from '../../database/statement.js';

const UNDONE = new Error('The draft or its form is not as it was read.');

/** Rolls the transaction back, and returns undefined, if the result is undefined or another transaction is in the way. Does not retry. */
export async function transactionOrUndone<Result>(
  executor: Executor,
  work: (executor: Executor) => Promise<Result | undefined>,
  row: string | undefined,
): Promise<Result | undefined> {
  try {
    return await executor.transaction((executor) => orUndo(work(executor)), row);
  } catch (error) {
    if (error === UNDONE) return undefined;
    throw error;
  }
}

async function orUndo<Result>(work: Promise<Result | undefined>): Promise<Result> {
  try {
    const result = await work;
    if (result !== undefined) return result;
  } catch (error) {
    if (!isRowLocked(error)) throw error;
  }
  throw UNDONE;
}
