import { document } from './documented.js';
import type { Operation, Parameter } from './openapi-types.js';
import { isOneServer } from './it-on-one-server.js';

export interface DocumentedOperation {
  /** Such as `PATCH /api/v1/submissions/{uuid}`. */
  readonly route: string;
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  /** The documented example of a body, where the operation reads one. */
  readonly body: object | undefined;
  /** Where the strings of a request are: `in` and `name` of each parameter. */
  readonly parameters: readonly Pick<Parameter, 'in' | 'name'>[];
}

/** Whether it is there: no files are on Citus. */
const isServed = (path: string) => isOneServer || !path.includes('/files');

/** Every operation of the interface, so that one which is added is tested without being thought of. */
export const OPERATIONS: readonly DocumentedOperation[] = Object.entries(document.paths)
  .filter(([path]) => isServed(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      body: exampleOf(operation),
      parameters: operation.parameters,
    })),
  );

/** Those that are about one submission. */
export const OF_A_SUBMISSION = OPERATIONS.filter(({ path }) => path.includes('/submissions/{uuid}'));

/** Those that need a token. */
export const GUARDED = OPERATIONS.filter(({ path }) => path.includes('/submissions'));

function exampleOf({ requestBody }: Operation): object | undefined {
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
  return example?.value as object | undefined;
}
