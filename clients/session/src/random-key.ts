/** Not `crypto.randomUUID`, which exists only in secure contexts, such as HTTPS pages. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
