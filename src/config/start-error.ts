/** The process cannot start. The message is for the operator, with one sentence per line. It is printed without a stack. */
export class StartError extends Error {}
