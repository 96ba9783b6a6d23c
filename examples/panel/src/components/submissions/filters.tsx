import { Box, Button, Input, Label } from '@adminjs/design-system';
import React, { type FormEvent, type ReactNode } from 'react';
import type { AnswersTableJson, TableForm } from './answers-table-json.ts';
import { FORM } from './table-query.ts';

/** The filters that the page shows only if they are set, or if a person opens them. */
const MORE = ['answer', 'reference', 'person', 'held', 'tests'];

interface FiltersProps {
  readonly search: URLSearchParams;
  readonly forms: AnswersTableJson['forms'];
  readonly form: TableForm | null;
  readonly onFilter: (search: URLSearchParams) => void;
}

/** The filters of the table. The address keeps them, so that a link leads to the same rows. */
export function Filters({ search, forms, form, onFilter }: FiltersProps) {
  const given = (name: string) => search.get(name) ?? '';
  const isFiltered = [...search.keys()].some((name) => name !== FORM && name !== 'before');

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entries = [...new FormData(event.currentTarget)].map(([name, value]) => [
      name,
      typeof value === 'string' ? value.trim() : '',
    ]);
    const next = new URLSearchParams(entries.filter(([, value]) => value !== ''));
    if (!next.has('answer')) for (const name of ['field', 'match']) next.delete(name);
    onFilter(next);
  };
  // The questions are those of one form.
  const chooseForm = (id: string) => onFilter(new URLSearchParams(id && { [FORM]: id }));

  return (
    <Box as="form" aria-label="Filters" role="search" onSubmit={submit} key={search.toString()} mb="lg">
      <style>{STYLES}</style>
      <div className="submission-filters">
        <Filter name="Form" id="filter-form">
          <select
            id="filter-form"
            name={FORM}
            defaultValue={given(FORM)}
            onChange={(event) => chooseForm(event.target.value)}
          >
            <option value="">All forms</option>
            {forms.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Filter>
        <Filter name="Status" id="filter-status">
          <select id="filter-status" name="status" defaultValue={given('status')}>
            <option value="">All</option>
            <option value="completed">completed</option>
            <option value="draft">draft</option>
          </select>
        </Filter>
        <Filter name="From" id="filter-from">
          <Input id="filter-from" name="from" type="date" max="9999-12-30" defaultValue={given('from')} />
        </Filter>
        <Filter name="To" id="filter-to">
          <Input id="filter-to" name="to" type="date" max="9999-12-30" defaultValue={given('to')} />
        </Filter>
      </div>
      <details open={MORE.some((name) => search.has(name))}>
        <summary>More filters</summary>
        <div className="submission-filters">
          {form && (
            <>
              <Filter name="Question" id="filter-field">
                <select id="filter-field" name="field" defaultValue={given('field')}>
                  {form.fields.map(({ id, label }) => (
                    <option key={id} value={id}>
                      {label}
                    </option>
                  ))}
                </select>
              </Filter>
              <Filter name="Answer" id="filter-match">
                <select id="filter-match" name="match" defaultValue={given('match') || 'contains'}>
                  <option value="contains">contains</option>
                  <option value="equals">is exactly</option>
                </select>
              </Filter>
              <Filter name="Text of the answer" id="filter-answer">
                <Input id="filter-answer" name="answer" maxLength={500} defaultValue={given('answer')} />
              </Filter>
            </>
          )}
          <Filter name="Reference" id="filter-reference">
            <Input
              id="filter-reference"
              name="reference"
              maxLength={36}
              placeholder="2FA8-2584"
              defaultValue={given('reference')}
            />
          </Filter>
          <Filter name="Email address" id="filter-person">
            <Input id="filter-person" name="person" maxLength={255} defaultValue={given('person')} />
          </Filter>
          <Filter name="Held" id="filter-held">
            <select id="filter-held" name="held" defaultValue={given('held')}>
              <option value="">All</option>
              <option value="true">only held</option>
            </select>
          </Filter>
          <Filter name="Tests" id="filter-tests">
            <select id="filter-tests" name="tests" defaultValue={given('tests')}>
              <option value="">left out</option>
              <option value="true">only tests</option>
            </select>
          </Filter>
        </div>
      </details>
      <Box flex flexDirection="row" flexWrap="wrap" mt="default" style={{ gap: 8 }}>
        <Button type="submit" variant="contained">
          Filter
        </Button>
        {isFiltered && (
          <Button type="button" variant="outlined" onClick={() => chooseForm(given(FORM))}>
            Clear filters
          </Button>
        )}
      </Box>
    </Box>
  );
}

function Filter({
  name,
  id,
  children,
}: {
  readonly name: string;
  readonly id: string;
  readonly children: ReactNode;
}) {
  return (
    <div>
      <Label htmlFor={id}>{name}</Label>
      {children}
    </div>
  );
}

const STYLES = `
  .submission-filters { display: grid; gap: 8px 16px; grid-template-columns: repeat(auto-fill, minmax(min(150px, 100%), 1fr)); margin-bottom: 8px; }
  .submission-filters select, .submission-filters input { width: 100%; box-sizing: border-box; }
  .submission-filters select {
    height: 36px; padding: 0 8px; font: inherit; color: inherit; border: 1px solid #75747C; border-radius: 3px; background: transparent;
  }
  .submission-filters option { color: CanvasText; background: Canvas; }
  details > summary { cursor: pointer; padding: 8px 0; }
`;
