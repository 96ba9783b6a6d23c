import { FormtrailFormElement } from './formtrail-form.js';
import type { FormtrailFormEvents } from './types.js';

export { FormtrailFormElement };
export { registerInput } from './own-inputs.js';
export type { FormtrailFormEvents, FormtrailToken, MakeInput, OwnInput, OwnInputProps } from './types.js';
export type { ErrorSentence, GivenSentences, Sentences } from './sentences.js';

declare global {
  interface HTMLElementTagNameMap {
    'formtrail-form': FormtrailFormElement;
  }
  // oxlint-disable-next-line typescript/no-empty-object-type -- merges the events into those of all elements, which they bubble to
  interface HTMLElementEventMap extends FormtrailFormEvents {}
}

// A page may load the script twice.
if (typeof customElements !== 'undefined' && !customElements.get('formtrail-form'))
  customElements.define('formtrail-form', FormtrailFormElement);
