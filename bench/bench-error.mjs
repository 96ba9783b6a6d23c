/** An error that ends the run. The command prints the message without a stack trace. */
export class BenchError extends Error {}
