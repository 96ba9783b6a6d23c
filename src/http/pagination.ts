import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

const MAX_PAGE = 2_147_483_647;
const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 15;

const pageMessage = `The page must be an integer from 1 to ${MAX_PAGE}.`;
const perPageMessage = `The per_page must be an integer from 1 to ${MAX_PER_PAGE}.`;

/** Digits become a number; anything else stays as it is and is refused. */
const IntegerParameter = () =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  );

/** The query of a paginated list (F2). */
export class PageQuery {
  @IntegerParameter()
  @IsOptional()
  @IsInt({ message: pageMessage })
  @Min(1, { message: pageMessage })
  @Max(MAX_PAGE, { message: pageMessage })
  page?: number;

  @IntegerParameter()
  @IsOptional()
  @IsInt({ message: perPageMessage })
  @Min(1, { message: perPageMessage })
  @Max(MAX_PER_PAGE, { message: perPageMessage })
  per_page?: number;
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
export function presentPage<T>(url: string, query: PageQuery, total: number, rows: readonly T[]) {
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
