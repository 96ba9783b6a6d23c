import type { Formula } from 'formtrail-entities';
import type { EntityManager } from 'typeorm';

/** A form definition, as `forms export` prints it. Names only what the panel reads. */
export interface Definition {
  readonly name: string;
  readonly slug: string;
  readonly uuid?: string;
  readonly is_active: boolean;
  readonly access: string;
  readonly steps: readonly DefinedStep[];
  readonly entities: readonly DefinedEntity[];
}

export interface DefinedStep extends Conditional {
  readonly title: string;
  readonly step_number: number;
  readonly fields: readonly DefinedField[];
}

export interface DefinedField extends Conditional {
  readonly code: string;
  readonly label: string;
  readonly field_type: { readonly component: string };
  readonly entity?: string;
  readonly retired?: boolean;
  readonly computed?: Formula;
  readonly rules: readonly { readonly other_field?: string }[];
}

export interface DefinedEntity extends Conditional {
  readonly name: string;
  readonly label: string;
  readonly min_records?: number;
}

interface DefinedCondition {
  readonly depends_on_field_code: string;
  readonly value_field?: string;
}

interface Conditional {
  readonly conditions: readonly DefinedCondition[];
}

/** A difference of two definitions, as `forms diff` prints it. */
export interface Change {
  readonly kind: 'breaking' | 'compatible';
  readonly path: string;
  readonly message: string;
}

/** A mistake in a definition. The path is such as `steps[0].fields[2].options`. */
export interface Finding {
  readonly path: string;
  readonly message: string;
}

export interface WrittenForm {
  readonly slug: string;
  readonly version: number;
}

/** The service's own code for form definitions (`definitions.mjs`). A manager is that of `transaction`, or, to read, any other. */
export interface ServiceDefinitions {
  /** Runs a transaction as `forms import` does: one at a time, and again if other programs change the same rows. */
  transaction<T>(actor: string | undefined, work: (manager: EntityManager) => Promise<T>): Promise<T>;
  find(manager: Pick<EntityManager, 'query'>, slug: string): Promise<Definition | undefined>;
  /** Creates the form, or changes the form with this slug. Throws an error with `mistakes` if that is not possible. */
  write(manager: EntityManager, definition: Definition): Promise<WrittenForm>;
  /** Deletes a form with its submissions. */
  deleteForm(manager: EntityManager, slug: string): Promise<unknown>;
  /** Returns the warnings of `forms lint` about the form. */
  lint(definition: Definition): readonly Finding[];
  /** The step of `after` that each step of `before` becomes if `after` is imported. */
  matchSteps(before: Definition, after: Definition): ReadonlyMap<DefinedStep, DefinedStep>;
  /** Returns the changes from `before` to `after`. `aligned` is `before` with the codes that its fields have in `after`. */
  compare(before: Definition, after: Definition, aligned?: Definition): Change[];
}

/** The mistakes because of which a definition was not imported, or undefined if the error is another one. */
export function mistakesOf(error: unknown): readonly Finding[] | undefined {
  return error instanceof Error && 'mistakes' in error ? (error.mistakes as readonly Finding[]) : undefined;
}
