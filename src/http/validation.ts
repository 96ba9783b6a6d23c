import 'reflect-metadata';
import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidateNested, type ValidationError, validateSync } from 'class-validator';
import { type FieldErrors, invalid } from './problems.js';

/** Turns a body or a query into its DTO, or answers 422 with every mistake under its dotted path (E1). */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    const dto: object =
      type === 'body'
        ? readBody(metatype as Type<object>, value)
        : (plainToInstance(metatype, value, { enableImplicitConversion: false }) as object);
    const errors = validateSync(dto, { stopAtFirstError: true, forbidUnknownValues: false });
    if (errors.length > 0) throw invalid(byPath(errors));
    return dto;
  }
}

interface Entries {
  readonly type: Type<object>;
  readonly max: number;
}

/** For a property that holds an array of at most `max` objects, each of which is a DTO. */
export function EntriesOf(type: Type<object>, max: number): PropertyDecorator {
  return (target, property) => {
    Reflect.defineMetadata(ENTRIES, { type, max } satisfies Entries, target, property);
    ValidateNested({ each: true, message: 'The entry must be an object.' })(target, property);
  };
}

const ENTRIES = Symbol('entries');

function readBody(dtoClass: Type<object>, body: unknown): object {
  // A missing body has none of its fields, and is told so by name.
  const given = body === undefined ? {} : body;
  if (!isJsonObject(given)) throw invalid({ body: ['The request body must be a JSON object.'] });
  return pick(dtoClass, given);
}

/**
 * Takes from parsed JSON only the properties that the DTO declares, each as it was given (E8). class-transformer
 * cannot be used on bodies: it constructs whatever a `constructor` key says, at any depth.
 */
function pick(dtoClass: Type<object>, source: Record<string, unknown>): object {
  const dto: Record<string, unknown> = new dtoClass() as Record<string, unknown>;
  for (const property of declaredProperties(dtoClass)) {
    if (!Object.hasOwn(source, property)) continue;
    const value = source[property];
    const entries = Reflect.getMetadata(ENTRIES, dtoClass.prototype as object, property) as
      Entries | undefined;
    dto[property] =
      entries !== undefined && Array.isArray(value) ? pickEntries(entries, property, value) : value;
  }
  return dto;
}

function pickEntries({ type, max }: Entries, property: string, values: readonly unknown[]): unknown[] {
  // Before anything is done to each: a body can hold hundreds of thousands.
  if (values.length > max) {
    throw invalid({ [property]: [`The ${property} must not have more than ${max} entries.`] });
  }
  // A number is no object, so that validation refuses the entry by its index.
  return values.map((value) => (isJsonObject(value) ? pick(type, value) : 0));
}

const known = new Map<Type<object>, string[]>();

function declaredProperties(dtoClass: Type<object>): string[] {
  let properties = known.get(dtoClass);
  if (properties === undefined) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dtoClass, '', false, false);
    properties = [...new Set(metadata.map(({ propertyName }) => propertyName))];
    known.set(dtoClass, properties);
  }
  return properties;
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byPath(errors: readonly ValidationError[], parent = '', found: FieldErrors = {}): FieldErrors {
  for (const { property, constraints, children } of errors) {
    const path = parent + property;
    if (constraints !== undefined) found[path] = Object.values(constraints);
    if (children !== undefined) byPath(children, `${path}.`, found);
  }
  return found;
}
