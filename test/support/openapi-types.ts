/** A reference to a part of `components`. */
export interface Reference {
  readonly $ref: string;
}

type JsonType = 'string' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/** The part of JSON Schema 2020-12 that the document uses. */
export interface Schema {
  readonly type?: JsonType | readonly JsonType[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly default?: string | number;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema | Reference;
  readonly properties?: Readonly<Record<string, Schema | Reference>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: boolean | Schema | Reference;
  readonly minProperties?: number;
  readonly anyOf?: readonly (Schema | Reference)[];
  readonly oneOf?: readonly (Schema | Reference)[];
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export type Examples = Readonly<Record<string, Example>>;

export interface MediaType {
  readonly schema: Schema | Reference;
  readonly examples: Examples;
}

export interface Content {
  readonly 'application/json': MediaType;
  /** Errors in the format of RFC 9457 (E11). */
  readonly 'application/problem+json'?: MediaType;
  /** The content of a file. */
  readonly '*/*'?: MediaType;
}

export interface Header {
  /** If false, a response that lists the header may lack it. */
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example: unknown;
}

export type Headers = Readonly<Record<string, Reference>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
}

export interface RequestBody {
  readonly required: boolean;
  readonly description?: string;
  readonly content: Content;
}

export interface Response {
  readonly description: string;
  readonly headers?: Headers;
  readonly content?: Content;
}

/** Responses by HTTP status. */
export type Responses = Readonly<Record<number, Response>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Responses;
}

export type Method = 'get' | 'post' | 'patch' | 'delete';
export type Paths = Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}
