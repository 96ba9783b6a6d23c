import { isObject } from './definition-error.js';
import type { DefinedField, FormDefinition } from './form-definition.js';

export type LocatedElement<T> = readonly [element: T, path: string];

export function fieldsIn({ steps }: Pick<FormDefinition, 'steps'>): LocatedElement<DefinedField>[] {
  return objectsIn(steps, 'steps').flatMap(([step, path]) => objectsIn(step.fields, `${path}.fields`));
}

/** Returns the elements that are objects, with their paths. Returns none if the value is not a list. */
export function objectsIn<T>(list: readonly T[], path: string): LocatedElement<T>[] {
  const elements: readonly T[] = Array.isArray(list) ? list : [];
  return elements.flatMap((element, index) => (isObject(element) ? [[element, `${path}[${index}]`]] : []));
}
