import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { isJsonObject } from './entries-of.decorator.js';
import { fieldErrorsOf } from './checks.js';
import { invalidDataProblem, fieldError } from '../errors/problems.js';

/** Turns bodies and queries into their DTOs, or throws 422 with every error under its dotted path (E1). */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  private readonly withoutQuery = new Map<Type<object>, object>();

  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined) return value;
    if (type === 'body') return validated(readBody(metatype as Type<object>, value));
    if (type === 'query') return this.readQuery(metatype as Type<object>, value as Record<string, unknown>);
    return value;
  }

  /** Most requests have no query, so the DTO without parameters is cached for each class. */
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
  if (errors.length > 0) throw invalidDataProblem(fieldErrorsOf(errors));
  return dto;
}

/**
 * Turns parsed JSON into a DTO without copying the values. Treats a missing body as an empty object. class-transformer
 * must not read bodies, because it constructs objects from a key named `constructor`, at any depth (ADR 6). Nothing
 * reads properties that the DTO does not declare (E8).
 */
function readBody(dtoClass: Type<object>, body: unknown = {}): object {
  if (!isJsonObject(body))
    throw invalidDataProblem({
      body: [fieldError('not_an_object', 'The request body must be a JSON object.')],
    });
  return copyOwn(body, new dtoClass() as Record<string, unknown>);
}

/** Copies all properties except those with a name of `Object.prototype`, such as `__proto__` and `constructor` (E8). */
function copyOwn(source: Readonly<Record<string, unknown>>, target: Record<string, unknown>): object {
  for (const name of Object.keys(source)) if (!(name in Object.prototype)) target[name] = source[name];
  return target;
}
