import type { DynamicModule, Type } from '@nestjs/common';
import type { HeadersObject, OpenAPIObject, SchemaObject } from '#swagger';
import type { Command } from 'commander';
import type { Environment, SettingsClass } from '../config/environment.js';
import type { FindDistribution } from '../database/distribution.js';
import type { FieldErrorCatalogue, ProblemType } from '../http/errors/problem-codes.js';
import type { InSpan } from '../process/in-span.js';
import type { Hooks } from './hooks.js';
import type { Program } from './program.js';

/**
 * A part of the service that can be taken away: a folder below `capabilities/`, its line in `capabilities.ts`, and its line in
 * `entities.ts` if it has entities. The file that declares it loads at once whenever a command runs: it
 * imports no module that needs Nest, class-validator or the database.
 */
export interface Capability {
  readonly name: string;
  readonly settings?: () => Promise<SettingsClass>;
  readonly problems?: Readonly<Record<string, ProblemType>>;
  readonly fieldErrors?: FieldErrorCatalogue;
  /** Loads the module for the application. Undefined if the environment switches it off. */
  readonly module?: (environment: Environment) => Promise<Type | DynamicModule> | undefined;
  /** Finds out whether the capability distributes the database over several servers. */
  readonly findDistribution?: FindDistribution;
  /** Adds commands to the command line, or to the groups of commands that it has already. */
  readonly addCommands?: (program: Command, packageRoot: string) => void;
  /** Loads what it does when commands of others run. */
  readonly hooks?: () => Promise<Hooks>;
  /** Starts to watch a long-running process. Undefined if the environment switches it off. */
  readonly startObserver?: (start: Start) => Promise<Observer | undefined>;
  /** Loads what the decorators of its controllers cannot say. */
  readonly openApi?: () => Promise<OpenApiPart>;
}

/** A process before it opens the database. */
export type Start = Pick<Program, 'environment' | 'packageRoot' | 'measurements' | 'logger'> & {
  readonly variables: NodeJS.ProcessEnv;
};

/** Watches a process, from before the modules of the server are loaded until everything else is closed. */
export interface Observer {
  /** Fields of each line of the log. */
  readonly logFields?: () => object;
  /** Fields of the line that says that the process has started. */
  readonly startFields?: object;
  readonly inSpan?: InSpan;
  readonly close: () => Promise<unknown>;
}

export interface OpenApiPart {
  readonly tags?: OpenAPIObject['tags'];
  readonly headers?: HeadersObject;
  readonly schemas?: Readonly<Record<string, SchemaObject>>;
  /** Further properties of the document. */
  readonly document?: Partial<OpenAPIObject>;
  readonly properties?: readonly AddedProperties[];
  readonly problems?: readonly AddedProblems[];
  readonly parameters?: readonly AddedParameters[];
}

/** Problems of the capability that operations of others respond with. */
export interface AddedProblems {
  /** Operation ids. An operation that the document lacks is left out. */
  readonly operations: readonly string[];
  readonly types: readonly ProblemType[];
}

/** Parameters of the capability that operations of others accept, and headers that their successful responses then have. */
export interface AddedParameters {
  /** Operation ids. */
  readonly operations: readonly string[];
  readonly parameters?: readonly QueryParameter[];
  readonly headers?: HeadersObject;
}

interface QueryParameter {
  readonly name: string;
  readonly in: 'query';
  readonly description: string;
  readonly schema: SchemaObject;
}

/** The columns of the capability that responses of the core show: see `forms/extends-form.ts`. */
export interface AddedProperties {
  readonly schema: string;
  /** The property of the core that comes before them in responses. */
  readonly after: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** Whether a body may leave them out. Responses always have them. */
  readonly isOptional?: boolean;
}

/** A schema of the finished document, where a type may be a list. */
type JsonSchema = Omit<SchemaObject, 'type'> & { readonly type: string | readonly string[] };
