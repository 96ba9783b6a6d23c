/** A start that cannot go on; the message is for the operator, a sentence a line, and is shown without a stack. */
export class StartError extends Error {}
