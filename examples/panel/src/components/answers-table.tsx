import { Box, Button, MessageBox, Text } from '@adminjs/design-system';
import { ApiClient } from 'adminjs';
import React, { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'react-router-dom';
import type { AnswersTableJson, TableForm } from './submissions/answers-table-json.ts';
import { ColumnChoice } from './submissions/column-choice.tsx';
import { DeleteSelected } from './submissions/delete-selected.tsx';
import { Filters } from './submissions/filters.tsx';
import { Rows } from './submissions/rows.tsx';
import { askedBy, exportedBy, FORM, rememberColumns, rememberedColumns } from './submissions/table-query.ts';

/** The list of submissions: a table of answers, if a form is chosen. */
export default function AnswersTable() {
  const [search, setSearch] = useSearchParams();
  const [version, setVersion] = useState(0);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { table, error, isLoading } = useTable(search, version);
  useEffect(() => setSelected(new Set()), [table]);
  const reload = () => setVersion((before) => before + 1);
  const filter = (next: URLSearchParams) => {
    setSearch(next);
    reload();
  };
  const page = (before: string | null) => {
    const next = new URLSearchParams(search);
    if (before === null) next.delete('before');
    else next.set('before', before);
    setSearch(next);
  };

  if (table === undefined)
    return error === undefined ? <Text role="status">Loading…</Text> : <Failure error={error} />;
  const { form, columns, rows, next } = table;
  return (
    <Box bg="container" px={['default', 'xl']} py="xl" aria-busy={isLoading}>
      <Filters {...{ search, form, forms: table.forms }} onFilter={filter} />
      {error !== undefined && <Failure error={error} />}
      {form === null && rows.length > 0 && <Text mb="lg">Choose a form to see its answers as columns.</Text>}
      {form && (
        <>
          <Exports form={form} query={exportedBy(search)} />
          {form.fields.length > 0 && (
            <ColumnChoice
              {...{ form, columns }}
              onChoose={(ids) => {
                rememberColumns(form.id, ids);
                reload();
              }}
            />
          )}
        </>
      )}
      {selected.size > 0 && <DeleteSelected uuids={[...selected]} onDeleted={reload} />}
      {rows.length === 0 ? (
        <Text role="status">There are no submissions, or none that the filters leave.</Text>
      ) : (
        <Rows {...{ table, selected }} onSelect={setSelected} />
      )}
      <Box flex flexDirection="row" style={{ gap: 8 }}>
        {search.has('before') && (
          <Button variant="outlined" onClick={() => page(null)}>
            Newest
          </Button>
        )}
        {next !== null && (
          <Button variant="outlined" onClick={() => page(next)}>
            Older
          </Button>
        )}
      </Box>
    </Box>
  );
}

function Exports({ form, query }: { readonly form: TableForm; readonly query: string | undefined }) {
  return (
    <Box flex flexDirection="row" flexWrap="wrap" alignItems="center" style={{ gap: '0 16px' }}>
      {query === undefined ? (
        <Text color="grey60">
          An export has the status and the days only. Clear the other filters to export.
        </Text>
      ) : (
        <>
          <a style={LINK} href={`/admin/export/${form.slug}.csv${query}`}>
            Export these as CSV
          </a>
          <a style={LINK} href={`/admin/export/${form.slug}.ndjson${query}`}>
            Export these as JSON lines
          </a>
        </>
      )}
      <Link style={LINK} to={`/admin/resources/forms/records/${form.id}/show`}>
        Open the form
      </Link>
    </Box>
  );
}

/** AdminJS's dark theme has no colour of plain links. */
const LINK = { color: 'inherit', textDecoration: 'underline', padding: '6px 0' } as const;

const Failure = ({ error }: { readonly error: string }) => (
  <MessageBox variant="danger" message={error} mb="lg" role="alert" />
);

interface Loaded {
  readonly table: AnswersTableJson | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
}

/** Reads the page again when the address or the version changes, and keeps the rows meanwhile. */
function useTable(search: URLSearchParams, version: number): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ table: undefined, error: undefined, isLoading: true });
  useEffect(() => {
    let isCurrent = true;
    const formId = search.get(FORM);
    const params = askedBy(search, formId === null ? undefined : rememberedColumns(formId));
    setLoaded((before) => ({ ...before, isLoading: true }));
    new ApiClient().resourceAction({ resourceId: 'submissions', actionName: 'answers', params }).then(
      ({ data }) => {
        const { table } = data as unknown as { table: AnswersTableJson };
        if (isCurrent) setLoaded({ table, error: undefined, isLoading: false });
      },
      (failure: unknown) => {
        if (isCurrent) setLoaded(({ table }) => ({ table, error: reasonOf(failure), isLoading: false }));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [search.toString(), version]);
  return loaded;
}

function reasonOf(failure: unknown): string {
  const { response } = failure as { response?: { data?: { message?: unknown } } };
  const message = response?.data?.message;
  return typeof message === 'string'
    ? message
    : 'The submissions could not be read. Reload the page, and try again.';
}
