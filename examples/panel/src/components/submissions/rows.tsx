import { Badge, Table, TableBody, TableCell, TableHead, TableRow } from '@adminjs/design-system';
import React, { type MouseEvent } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { timeOf } from '../times.ts';
import type { AnswersTableJson, TableColumn, TableRowJson } from './answers-table-json.ts';

interface RowsProps {
  readonly table: AnswersTableJson;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** One row for each submission. A narrow screen has the answers below the reference, in one cell. */
export function Rows({ table, selected, onSelect }: RowsProps) {
  const { form, columns, rows } = table;
  const navigate = useNavigate();
  const uuids = rows.map(({ uuid }) => uuid);
  const areAllSelected = selected.size > 0 && uuids.every((uuid) => selected.has(uuid));
  const toggle = (uuid: string) => {
    const next = new Set(selected);
    if (!next.delete(uuid)) next.add(uuid);
    onSelect(next);
  };
  const open = ({ target }: MouseEvent, uuid: string) => {
    if ((target as Element).closest('a, label, input') === null) navigate(addressOf(uuid));
  };
  return (
    <div className="submission-table" role="region" aria-label="Submissions" tabIndex={0}>
      <style>{STYLES}</style>
      <Table>
        <TableHead>
          <TableRow>
            <TableCell as="th" scope="col">
              <label className="submission-tick">
                <input
                  type="checkbox"
                  aria-label="Select all on this page"
                  checked={areAllSelected}
                  onChange={() => onSelect(new Set(areAllSelected ? [] : uuids))}
                />
              </label>
            </TableCell>
            {['Reference', ...(form ? [] : ['Form']), 'Status', 'Completed or changed'].map((name, index) => (
              <TableCell as="th" scope="col" key={name} className={index > 0 ? 'only-wide' : ''}>
                {name}
              </TableCell>
            ))}
            {columns.map(({ id, label, isRetired, isPersonal }) => (
              <TableCell as="th" scope="col" key={id} className="only-wide">
                {label} {isRetired && <Badge size="sm">retired</Badge>}
                {isPersonal && <Badge size="sm">personal</Badge>}
              </TableCell>
            ))}
            <TableCell as="th" scope="col" className="only-wide">
              By
            </TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((row) => (
            <TableRow
              key={row.uuid}
              data-id={row.uuid}
              onClick={(event: MouseEvent) => open(event, row.uuid)}
            >
              <TableCell>
                <label className="submission-tick">
                  <input
                    type="checkbox"
                    aria-label={`Select ${row.reference}`}
                    checked={selected.has(row.uuid)}
                    onChange={() => toggle(row.uuid)}
                  />
                </label>
              </TableCell>
              <TableCell>
                <Link to={addressOf(row.uuid)} className="submission-reference">
                  {row.reference}
                </Link>
                {row.isTest && <Badge size="sm">test</Badge>}
                {row.isHeld && <Badge size="sm">held</Badge>}
                <NarrowRow row={row} table={table} />
              </TableCell>
              {form === null && <TableCell className="only-wide">{row.form.name}</TableCell>}
              <TableCell className="only-wide">{statusOf(row)}</TableCell>
              <TableCell className="only-wide whole">{timeOf(row.at)}</TableCell>
              {columns.map((column, index) => (
                <TableCell key={column.id} className="only-wide submission-answer">
                  <div>{answerIn(row, column, index)}</div>
                </TableCell>
              ))}
              <TableCell className="only-wide whole">
                <Person {...row.user} />
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </div>
  );
}

const addressOf = (uuid: string) => `/admin/resources/submissions/records/${uuid}/show`;

const statusOf = ({ status, anonymizedAt }: TableRowJson) =>
  anonymizedAt === null ? status : `${status}, personal answers deleted on ${timeOf(anonymizedAt)}`;

/** An empty answer to a question with personal data was deleted, or never given. */
const answerIn = ({ answers, anonymizedAt }: TableRowJson, { isPersonal }: TableColumn, index: number) =>
  answers[index] || (anonymizedAt !== null && isPersonal ? '(deleted)' : '');

function Person({ id, title }: TableRowJson['user']) {
  return (
    <Link to={`/admin/resources/users/records/${id}/show`} className="submission-person" title={title}>
      {title}
    </Link>
  );
}

function NarrowRow({
  row,
  table: { form, columns },
}: {
  readonly row: TableRowJson;
  readonly table: AnswersTableJson;
}) {
  return (
    <div className="only-narrow">
      <div>
        {form === null && `${row.form.name} · `}
        {statusOf(row)} · <span className="whole">{timeOf(row.at)}</span>
      </div>
      {columns.map((column, index) => {
        const answer = answerIn(row, column, index);
        return answer === '' ? null : (
          <div key={column.id}>
            <b>{column.label}</b> {answer}
          </div>
        );
      })}
      <div>
        by <Person {...row.user} />
      </div>
    </div>
  );
}

const STYLES = `
  .submission-table { overflow-x: auto; margin-bottom: 16px; }
  .submission-table th, .submission-table td { text-align: left; vertical-align: top; overflow-wrap: break-word; word-break: normal; }
  .submission-table a { color: inherit; text-decoration: underline; }
  .submission-table th { font-weight: bold; min-width: 90px; }
  .submission-table th:first-child, .submission-table td:first-child { min-width: 0; width: 24px; padding-right: 0; }
  .submission-table tbody tr { cursor: pointer; }
  .submission-tick { display: inline-flex; min-width: 24px; min-height: 24px; align-items: center; }
  .submission-reference { white-space: nowrap; font-family: ui-monospace, monospace; }
  .submission-answer div {
    min-width: 100px; max-width: 320px; white-space: pre-line;
    display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden;
  }
  .submission-table .whole { white-space: nowrap; }
  .submission-person { display: inline-block; max-width: 200px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
  .submission-table .only-narrow { display: none; }
  @media (max-width: 768px) {
    .submission-table .only-wide { display: none; }
    .submission-table .only-narrow { display: block; margin-top: 4px; line-height: 1.5; }
    .submission-table .only-narrow b { font-weight: bold; }
  }
`;
