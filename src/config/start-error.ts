/** The process cannot start. The message is for the operator, has one sentence per line, and is printed without a stack. */
export class StartError extends Error {}
