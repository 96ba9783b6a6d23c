/** The parameters of the page's address. The form keeps the name that other pages of the panel link to. */
export const FORM = 'filters.formId';

/** Filters that an export cannot take. */
const NOT_EXPORTED = ['reference', 'person', 'answer', 'held', 'tests'];

/** Returns the parameters of the action that reads the page. Days become moments in the time zone of the browser. */
export function askedBy(
  search: URLSearchParams,
  columns: readonly number[] | undefined,
): Record<string, string> {
  const { [FORM]: form, ...asked } = withMoments(search);
  return { ...asked, ...(form && { form }), ...(columns && { columns: columns.join() }) };
}

/** Returns the parameters of an export, or undefined if the export would contain more than the page shows. */
export function exportedBy(search: URLSearchParams): string | undefined {
  if (NOT_EXPORTED.some((name) => search.get(name))) return undefined;
  const { status, from, to } = withMoments(search);
  const query = new URLSearchParams({ ...(status && { status }), ...(from && { from }), ...(to && { to }) });
  return query.size === 0 ? '' : `?${query.toString()}`;
}

function withMoments(search: URLSearchParams): Record<string, string> {
  const { from, to, ...asked }: Record<string, string> = Object.fromEntries(search);
  const [begin, end] = [startOf(from ?? '', 0), startOf(to ?? '', 1)];
  return { ...asked, ...(begin && { from: begin }), ...(end && { to: end }) };
}

/** Returns the first moment of a day, or of a day after it. */
function startOf(day: string, daysLater: number): string | undefined {
  const [year, month, date] = day.split('-').map(Number);
  if (!year || !month || !date) return undefined;
  const start = new Date(year, month - 1, date + daysLater);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}

const columnsKey = (formId: number | string) => `formtrail-panel columns of form ${formId}`;

/** Returns the columns that a person has chosen for a form in this browser. */
export function rememberedColumns(formId: number | string): number[] | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(columnsKey(formId)) ?? 'null');
    return Array.isArray(stored) && stored.length > 0 ? stored.map(Number) : undefined;
  } catch {
    // A browser may forbid the storage. The page then shows the first questions each time.
    return undefined;
  }
}

export function rememberColumns(formId: number | string, columns: readonly number[]): void {
  try {
    localStorage.setItem(columnsKey(formId), JSON.stringify(columns));
  } catch {
    // The choice then lasts until the page is left.
  }
}
