import { shownType, TYPE_GROUPS } from '../examples/panel/src/components/shown-types.js';
import { FIRST_FIELD_TYPES } from '../src/forms/field-types.js';

describe('the types of fields in the panel', () => {
  it.each([...FIRST_FIELD_TYPES])('have words and a picture of their own: %s', (name, component) => {
    const { words, group, icon } = shownType({ name, component });
    // The name of a type that the panel does not know begins with a small letter.
    expect(words).toMatch(/^[A-Z]/);
    expect(TYPE_GROUPS).toContain(group);
    expect(icon).not.toBe(shownType({ name: 'own', component: 'own' }).icon);
  });

  it('keep the name that somebody gave them, in the group of their component', () => {
    expect(shownType({ name: 'phone', component: 'text-input' })).toMatchObject({
      words: 'phone',
      group: 'Text',
    });
    expect(shownType({ name: 'rating', component: 'rating-input' })).toMatchObject({
      ...{ words: 'rating', group: 'Other' },
    });
  });
});
