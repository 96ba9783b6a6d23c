import type { MakeInput } from './types.js';

/** Inputs of the page by component. */
const makers = new Map<string, MakeInput>();
/** Render the elements of the page again. */
const elements = new Set<() => void>();

/** Components whose fields hold files, or no answer. */
const NOT_REPLACEABLE = /^(file-input|heading-display|paragraph-display)$/;

/**
 * Shows the fields of a component with an input of the page, in all elements. The service goes on to check answers only to components
 * that it knows.
 *
 * @throws TypeError for `file-input`, `heading-display` and `paragraph-display`
 */
export function registerInput(component: string, make: MakeInput): void {
  if (NOT_REPLACEABLE.test(component)) throw new TypeError(`${component} cannot be replaced.`);
  makers.set(component, make);
  for (const render of elements) render();
}

export function makerOf(component: string): MakeInput | undefined {
  return makers.get(component);
}

/** Call it when an element appears. Call the returned function when it disappears. */
export function followInputs(render: () => void): () => void {
  elements.add(render);
  return () => elements.delete(render);
}
