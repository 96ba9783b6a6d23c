/** Reads a text as choices of a field. `several` and undefined: the text cannot be read in exactly one way. */
export type ChoicesIn = (text: string) => readonly string[] | 'several' | undefined;
