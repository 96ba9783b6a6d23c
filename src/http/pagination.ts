import { Transform } from 'class-transformer';
import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { ResponseSchema } from './openapi/openapi.schemas.js';
import { IsIntegerUpTo } from './bodies/checks.js';

const MAX_PAGE = 2_147_483_647;
const MAX_PER_PAGE = 100;
export const DEFAULT_PER_PAGE = 15;

/** Digits become a number; anything else stays as it is and is refused. */
export const IntegerParameter = () =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  );

/** How much of a list makes a page (F2). */
export abstract class PerPageQuery {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PER_PAGE,
    default: DEFAULT_PER_PAGE,
    required: false,
    description: 'How many make a page. The links keep it where you send it.',
  })
  @IntegerParameter()
  @IsOptional()
  @IsIntegerUpTo(MAX_PER_PAGE)
  per_page?: number;
}

/** The query of a list whose pages have numbers (F2). */
export class PageQuery extends PerPageQuery {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: MAX_PAGE,
    default: 1,
    required: false,
    description: 'A page past the last one is empty, not an error.',
  })
  @IntegerParameter()
  @IsOptional()
  @IsIntegerUpTo(MAX_PAGE)
  page?: number;
}

export const URL_OR_NULL = {
  type: 'string',
  format: 'uri',
  nullable: true,
  description: 'Null: no such page.',
} as const;

export const PER_PAGE = { type: 'integer', minimum: 1, maximum: MAX_PER_PAGE } as const;

@ResponseSchema('PageLinks')
class PageLinks {
  @ApiProperty({ format: 'uri' })
  readonly first!: string;

  @ApiProperty({ format: 'uri' })
  readonly last!: string;

  @ApiProperty(URL_OR_NULL)
  readonly prev!: string | null;

  @ApiProperty(URL_OR_NULL)
  readonly next!: string | null;
}

@ResponseSchema('PageMeta')
class PageMeta {
  @ApiProperty({ type: 'integer', minimum: 1 })
  readonly current_page!: number;

  @ApiProperty({ type: 'integer', minimum: 1, description: '1 where there is nothing to list.' })
  readonly last_page!: number;

  @ApiProperty(PER_PAGE)
  readonly per_page!: number;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'On all pages together.' })
  readonly total!: number;
}

/** One page of a list; a class of its own for each list says what `data` holds. */
export abstract class PageResponse<T> {
  abstract readonly data: readonly T[];

  @ApiProperty()
  readonly links!: PageLinks;

  @ApiProperty()
  readonly meta!: PageMeta;
}

export interface Page {
  readonly page: number;
  readonly perPage: number;
  /** How many come before the page; beyond any table's size for far pages, and exact. */
  readonly offset: number;
}

export function readPage(query: PageQuery): Page {
  const page = query.page ?? 1;
  const perPage = query.per_page ?? DEFAULT_PER_PAGE;
  return { page, perPage, offset: (page - 1) * perPage };
}

/** One page as the wire has it. `url` is the list's absolute URL; a `per_page` the client sent stays in links (F3). */
export function presentPage<T>(
  url: string,
  query: PageQuery,
  total: number,
  rows: readonly T[],
): PageResponse<T> {
  const { page, perPage } = readPage(query);
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const kept = query.per_page === undefined ? '' : `&per_page=${query.per_page}`;
  const link = (number: number) => `${url}?page=${number}${kept}`;
  return {
    data: rows,
    links: {
      first: link(1),
      last: link(lastPage),
      prev: page > 1 ? link(Math.min(page - 1, lastPage)) : null,
      next: page < lastPage ? link(page + 1) : null,
    },
    meta: { current_page: page, last_page: lastPage, per_page: perPage, total },
  };
}
