import 'reflect-metadata';
import { applyDecorators, type Type } from '@nestjs/common';
import { ValidateNested } from 'class-validator';
import { ApiProperty } from '#swagger';
import { otherwise } from './otherwise.js';

interface Entries {
  readonly type: Type<object>;
  readonly max: number;
}

const ENTRIES = Symbol('entries');

/** For a property of a body that holds an array of at most `max` objects, each of which is a DTO. */
export function EntriesOf(type: Type<object>, max: number): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: [type], maxItems: max }),
    ValidateNested({ each: true, ...otherwise('not_an_object', 'The entry must be an object.') }),
    (target: object, property: string | symbol) => {
      const entries = new Map(entriesOf(target.constructor)).set(String(property), { type, max });
      Reflect.defineMetadata(ENTRIES, entries, target.constructor);
    },
  );
}

/** By the names of the properties that hold them. */
export function entriesOf(dtoClass: object): ReadonlyMap<string, Entries> {
  return (Reflect.getMetadata(ENTRIES, dtoClass) as ReadonlyMap<string, Entries> | undefined) ?? NONE;
}

const NONE: ReadonlyMap<string, Entries> = new Map();
