/** An export that cannot be written as it was asked for. Nothing was written. */
export class ExportError extends Error {}
