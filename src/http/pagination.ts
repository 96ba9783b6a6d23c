import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { ApiProperty } from '#swagger';
import { ResponseSchema } from '../docs/openapi.schemas.js';

const MAX_PAGE = 2_147_483_647;
const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 15;

const pageMessage = `The page must be an integer from 1 to ${MAX_PAGE}.`;
const perPageMessage = `The per_page must be an integer from 1 to ${MAX_PER_PAGE}.`;

/** Digits become a number; anything else stays as it is and is refused. */
export const IntegerParameter = () =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  );

/** The query of a paginated list (F2). */
export class PageQuery {
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
  @IsInt({ message: pageMessage })
  @Min(1, { message: pageMessage })
  @Max(MAX_PAGE, { message: pageMessage })
  page?: number;

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
  @IsInt({ message: perPageMessage })
  @Min(1, { message: perPageMessage })
  @Max(MAX_PER_PAGE, { message: perPageMessage })
  per_page?: number;
}

const URL_OR_NULL = {
  type: 'string',
  format: 'uri',
  nullable: true,
  description: 'Null: no such page.',
} as const;

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

  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_PER_PAGE })
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
