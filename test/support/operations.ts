import { document } from './documented.js';
import type { Operation, Parameter } from './openapi-types.js';
import { isOneServer } from './it-on-one-server.js';

export interface DocumentedOperation {
  /** For example `PATCH /api/v1/submissions/{uuid}`. */
  readonly route: string;
  readonly method: string;
  /** The path, with its parameters in braces. */
  readonly path: string;
  /** The documented example of a body, if the operation reads one. */
  readonly body: object | undefined;
  readonly needsToken: boolean;
  /** The place (`in`) and name of each parameter. */
  readonly parameters: readonly Pick<Parameter, 'in' | 'name'>[];
}

/** Files do not work on Citus. */
const isServed = (path: string) => isOneServer || !path.includes('/files');

/** All operations of the OpenAPI document, so that tests automatically cover new operations. */
export const OPERATIONS: readonly DocumentedOperation[] = Object.entries(document.paths)
  .filter(([path]) => isServed(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      body: exampleOf(operation),
      needsToken: operation.security.length > 0,
      parameters: operation.parameters,
    })),
  );

/** The operations on one submission. */
export const OF_A_SUBMISSION = OPERATIONS.filter(({ path }) => path.includes('/submissions/{uuid}'));

/** The operations that need a token. */
export const GUARDED = OPERATIONS.filter(({ needsToken }) => needsToken);

function exampleOf({ requestBody }: Operation): object | undefined {
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
  return example?.value as object | undefined;
}
