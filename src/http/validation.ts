import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import {
  getMetadataStorage,
  ValidateNested,
  type ValidationArguments,
  type ValidationError,
  validateSync,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { type FieldErrors, invalid } from './problems.js';

/** A body as its DTO, or 422 with every mistake under its dotted path (E1). */
export function readBody<Dto extends object>(dtoClass: Type<Dto>, body: unknown): Dto {
  // A missing body has none of its fields, and is told so by name.
  const given = body === undefined ? {} : body;
  if (!isJsonObject(given)) throw invalid({ body: ['The request body must be a JSON object.'] });
  return validated(pick(dtoClass, given));
}

/** A query as its DTO, or 422 with every mistake under the name of its parameter (E1). */
export function readQuery<Dto extends object>(dtoClass: Type<Dto>, query: unknown): Dto {
  return validated(plainToInstance(dtoClass, query, { enableImplicitConversion: false }));
}

function validated<Dto extends object>(dto: Dto): Dto {
  if (isFlawless(dto)) return dto;
  const errors = validateSync(dto, { stopAtFirstError: true, forbidUnknownValues: false });
  if (errors.length > 0) throw invalid(byPath(errors));
  return dto;
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

/**
 * Takes from parsed JSON only the properties that the DTO declares, each as it was given (E8). class-transformer
 * cannot be used on bodies: it constructs whatever a `constructor` key says, at any depth.
 */
function pick<Dto extends object>(dtoClass: Type<Dto>, source: Record<string, unknown>): Dto {
  const dto = new dtoClass();
  for (const { name, entries } of propertiesOf(dtoClass)) {
    if (!Object.hasOwn(source, name)) continue;
    const value = source[name];
    (dto as Record<string, unknown>)[name] =
      entries !== undefined && Array.isArray(value) ? pickEntries(entries, name, value) : value;
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

/** Whether class-validator would find nothing, by its own rules: to find that out takes it many times as long. */
function isFlawless(dto: object): boolean {
  for (const property of propertiesOf(dto.constructor as Type<object>)) {
    const value = (dto as Record<string, unknown>)[property.name];
    if (applies(property, dto, value) && !isMet(property, dto, value)) return false;
  }
  return true;
}

function applies({ conditions }: Property, dto: object, value: unknown): boolean {
  for (const condition of conditions) if (!condition(dto, value)) return false;
  return true;
}

function isMet({ rules, entries }: Property, dto: object, value: unknown): boolean {
  for (const { rule, args } of rules) {
    args.value = value;
    args.object = dto;
    // Every rule that is used here answers at once.
    if (rule.validate(value, args) !== true) return false;
  }
  return entries === undefined || (value as unknown[]).every(isFlawlessEntry);
}

function isFlawlessEntry(entry: unknown): boolean {
  return typeof entry === 'object' && isFlawless(entry as object);
}

interface Property {
  readonly name: string;
  readonly entries: Entries | undefined;
  /** All of them must hold, or else nothing is asked of the property. */
  readonly conditions: readonly ((dto: object, value: unknown) => boolean)[];
  /** With what they are asked with, the same object each time. */
  readonly rules: readonly {
    readonly rule: ValidatorConstraintInterface;
    readonly args: ValidationArguments;
  }[];
}

const known = new Map<Type<object>, readonly Property[]>();

/** What class-validator's decorators say of a DTO. */
function propertiesOf(dtoClass: Type<object>): readonly Property[] {
  let properties = known.get(dtoClass);
  if (properties === undefined) {
    const storage = getMetadataStorage();
    const metadata = storage.getTargetValidationMetadatas(dtoClass, '', false, false);
    properties = [...new Set(metadata.map(({ propertyName }) => propertyName))].map((name) => {
      const own = metadata.filter(({ propertyName }) => propertyName === name);
      return {
        name,
        entries: Reflect.getMetadata(ENTRIES, dtoClass.prototype as object, name) as Entries | undefined,
        conditions: own
          .filter(({ type }) => type === 'conditionalValidation')
          .map(({ constraints }) => constraints[0] as Property['conditions'][number]),
        rules: own
          .filter(({ type }) => type === 'customValidation')
          .flatMap(({ constraintCls, constraints }) =>
            storage.getTargetValidatorConstraints(constraintCls).map(({ instance }) => ({
              rule: instance,
              args: { value: undefined, object: {}, property: name, constraints, targetName: dtoClass.name },
            })),
          ),
      };
    });
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
