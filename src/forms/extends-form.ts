import type { PublishedField, PublishedForm } from './published-form.js';

// Columns of forms and fields that only capabilities read are listed in the core's entities: other programs write them, whether or not
// a capability is there to read them. The core reads them in the statement that reads the whole form, and shows them unchanged. See
// `OpenApiPart.properties` for their description.

/** SQL of the arguments of `json_build_object` for these columns. `sqlOf` has the columns that are written in another way. */
export const jsonPairsSql = (columns: readonly string[], sqlOf: Readonly<Record<string, string>> = {}) =>
  columns.map((column) => `'${column}', ${sqlOf[column] ?? column}`).join(', ');

/** Returns the values of these columns in the order of the list. */
export function pick<Row, Column extends keyof Row>(
  row: Row,
  columns: readonly Column[],
): Readonly<Pick<Row, Column>> {
  return Object.fromEntries(columns.map((column) => [column, row[column]])) as Pick<Row, Column>;
}

/** Returns a function that calls `compile` at most once for each version of a form, or of a field, and then remembers the result. */
export function oncePerVersion<Published extends PublishedForm | PublishedField, Compiled>(
  compile: (published: Published) => Compiled,
): (published: Published) => Compiled {
  const results = new WeakMap<Published, { readonly compiled: Compiled }>();
  return (published) => {
    let result = results.get(published);
    if (result === undefined) results.set(published, (result = { compiled: compile(published) }));
    return result.compiled;
  };
}
