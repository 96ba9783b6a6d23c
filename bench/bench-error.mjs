/** Ends the run with its message, without a stack trace. */
export class BenchError extends Error {}
