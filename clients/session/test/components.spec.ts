import type { Field } from 'formtrail-client';
import { COMPONENTS, definitionOf, FILE_COMPONENT } from '../../../src/forms/field-types.js';
import { heldBy, isForFiles, isText } from '../src/components.js';

describe('the components of formtrail-session', () => {
  it.each([...COMPONENTS, 'colour-wheel', 'constructor'])(
    'hold what the service expects: %s',
    (component) => {
      const field = { field_type: { name: 'type', component } } as Pick<Field, 'field_type'>;
      const { holds } = definitionOf(component);
      const isFile = component === FILE_COMPONENT;
      expect(heldBy(field)).toBe(isFile ? 'file' : holds === 'email' ? 'text' : holds);
      expect([isForFiles(field), isText(field)]).toEqual([isFile, holds === 'nothing']);
    },
  );
});
