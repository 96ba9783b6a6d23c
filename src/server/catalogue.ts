import { CAPABILITIES } from '../capabilities.js';
import {
  FIELD_ERRORS,
  type FieldErrorCatalogue,
  PROBLEMS,
  type ProblemType,
} from '../http/errors/problem-codes.js';

/** The problems of the core and of all capabilities, by code. */
export const allProblems = (): Readonly<Record<string, ProblemType>> =>
  Object.assign({ ...PROBLEMS }, ...CAPABILITIES.map(({ problems }) => problems)) as Record<
    string,
    ProblemType
  >;

/** The problems for which the database itself can reject a write, by the names of the constraints. */
export const problemsByConstraint = (): ReadonlyMap<string, ProblemType> =>
  new Map(
    Object.values(allProblems()).flatMap((type) =>
      type.constraint === undefined ? [] : [[type.constraint.name, type] as const],
    ),
  );

/** The field errors of the core and of all capabilities: the names of their params, by code. */
export const allFieldErrors = (): FieldErrorCatalogue =>
  Object.assign(
    { ...FIELD_ERRORS },
    ...CAPABILITIES.map(({ fieldErrors }) => fieldErrors),
  ) as FieldErrorCatalogue;
