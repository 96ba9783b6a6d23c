import { Transform } from 'class-transformer';
import { IsOptional } from 'class-validator';
import { ApiProperty } from '#swagger';
import { POSITION_SCHEMA, ResponseSchema } from './openapi/openapi.schemas.js';
import { IsIntegerUpTo } from './bodies/checks.js';

const MAX_PAGE = 2_147_483_647;
const MAX_PER_PAGE = 100;
export const DEFAULT_PER_PAGE = 15;
export const PER_PAGE = { ...POSITION_SCHEMA, maximum: MAX_PER_PAGE } as const;

/** Converts digits to a number. Leaves any other value unchanged, so that the checks reject it. */
export const IntegerParameter = () =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  );

/** The page size of a list (F2). */
export abstract class PerPageQuery {
  @ApiProperty({
    ...PER_PAGE,
    default: DEFAULT_PER_PAGE,
    required: false,
    description: 'Number of items on a page.',
  })
  @IntegerParameter()
  @IsOptional()
  @IsIntegerUpTo(MAX_PER_PAGE)
  per_page?: number;
}

/** The query of a list with numbered pages (F2). */
export class PageQuery extends PerPageQuery {
  @ApiProperty({
    ...POSITION_SCHEMA,
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

export const URL_OR_NULL = { type: 'string', format: 'uri', nullable: true } as const;

@ResponseSchema('PageLinks')
class PageLinks {
  @ApiProperty({ format: 'uri' }) readonly first!: string;
  @ApiProperty({ format: 'uri' }) readonly last!: string;
  @ApiProperty(URL_OR_NULL) readonly prev!: string | null;
  @ApiProperty(URL_OR_NULL) readonly next!: string | null;
}

@ResponseSchema('PageMeta')
class PageMeta {
  @ApiProperty(POSITION_SCHEMA) readonly current_page!: number;
  @ApiProperty({ ...POSITION_SCHEMA, description: '1 if the list is empty.' }) readonly last_page!: number;
  @ApiProperty(PER_PAGE) readonly per_page!: number;
  @ApiProperty({ type: 'integer', minimum: 0 }) readonly total!: number;
}

/** One page of a list. Each list has its own subclass, which declares `data`. */
export abstract class PageResponse<T> {
  abstract readonly data: readonly T[];

  @ApiProperty() readonly links!: PageLinks;
  @ApiProperty() readonly meta!: PageMeta;
}

/** `offset` is the number of rows before the page. It is exact even for pages far beyond the end of the list. */
export function readPage({ page = 1, per_page: perPage = DEFAULT_PER_PAGE }: PageQuery) {
  return { page, perPage, offset: (page - 1) * perPage };
}

/**
 * Returns the response for one page. `url` is the absolute URL of the list. Links contain `per_page` if the client sent it (F3), and
 * the further `parameters`.
 */
export function presentPage<T>(
  url: string,
  query: PageQuery,
  total: number,
  rows: readonly T[],
  parameters: Readonly<Record<string, string>> = {},
): PageResponse<T> {
  const { page, perPage } = readPage(query);
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const kept = { ...(query.per_page !== undefined && { per_page: String(query.per_page) }), ...parameters };
  const link = (number: number) =>
    `${url}?${new URLSearchParams({ page: String(number), ...kept }).toString()}`;
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
