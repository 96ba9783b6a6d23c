import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { entriesOf } from './entries-of.decorator.js';
import { mistakesOf } from './otherwise.js';
import { type FieldErrors, invalid, mistake } from './problems.js';

/** Bodies and queries as their DTOs, or 422 with every mistake under its dotted path (E1). */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  private readonly withoutQuery = new Map<Type<object>, object>();

  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined) return value;
    if (type === 'body') return validated(readBody(metatype as Type<object>, value));
    if (type === 'query') return this.readQuery(metatype as Type<object>, value as Record<string, unknown>);
    return value;
  }

  /** Most requests have no query, of which a class always says the same. */
  private readQuery(dtoClass: Type<object>, query: Readonly<Record<string, unknown>>): object {
    for (const _ in query) return validated(plainToInstance(dtoClass, copyOwn(query, {})));
    let none = this.withoutQuery.get(dtoClass);
    if (none === undefined)
      this.withoutQuery.set(dtoClass, (none = Object.freeze(validated(new dtoClass()))));
    return none;
  }
}

function validated<Dto extends object>(dto: Dto): Dto {
  const errors = validateSync(dto, { stopAtFirstError: true });
  if (errors.length > 0) throw invalid(byPath(errors));
  return dto;
}

/** A missing body has none of its properties, and is told so by name. */
function readBody(dtoClass: Type<object>, body: unknown = {}): object {
  if (!isJsonObject(body))
    throw invalid({ body: [mistake('not_an_object', 'The request body must be a JSON object.')] });
  return toInstance(dtoClass, body);
}

/**
 * Parsed JSON as a DTO, each property by reference. class-transformer cannot be used on bodies: it constructs whatever a
 * `constructor` key says, at any depth (ADR 6). Properties that the DTO does not declare are read by nobody (E8).
 */
function toInstance(dtoClass: Type<object>, source: Readonly<Record<string, unknown>>): object {
  const dto = new dtoClass() as Record<string, unknown>;
  copyOwn(source, dto);
  for (const [name, { type, max }] of entriesOf(dtoClass)) {
    const values = dto[name];
    if (!Array.isArray(values)) continue;
    // Before anything is done to each: a body can hold hundreds of thousands.
    if (values.length > max) {
      const message = `The ${name} must not have more than ${max} entries.`;
      throw invalid({ [name]: [mistake('too_many', message, { max })] });
    }
    // A number is no object, so that validation rejects the entry by its index.
    dto[name] = values.map((value: unknown) => (isJsonObject(value) ? toInstance(type, value) : 0));
  }
  return dto;
}

/** Copies all but `__proto__`, `constructor` and the like, which mean something to whatever reads them (E8). */
function copyOwn(source: Readonly<Record<string, unknown>>, target: Record<string, unknown>): object {
  for (const name of Object.keys(source)) if (!(name in Object.prototype)) target[name] = source[name];
  return target;
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byPath(errors: readonly ValidationError[], parent = '', found: FieldErrors = {}): FieldErrors {
  for (const error of errors) {
    const path = parent + error.property;
    const mistakes = mistakesOf(error);
    if (mistakes !== undefined) found[path] = mistakes;
    if (error.children !== undefined) byPath(error.children, `${path}.`, found);
  }
  return found;
}
