/** Ends the run with its message, which says what is wrong and needs no stack. */
export class BenchError extends Error {}
