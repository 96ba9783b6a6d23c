import { describeNumbers } from './submission-numbers.js';
import type { Person } from '../../../server/hooks.js';
import type { ExportedPerson, ExportedValue, WrittenFile, WrittenSubmission } from './exported-data.js';

/** Writes the index of an export as HTML. A browser needs no network and runs no script. All texts are escaped. */

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const STYLE = `body{font-family:sans-serif;line-height:1.5;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}caption{text-align:start;font-weight:bold}
th,td{border:1px solid #767676;padding:.25rem .5rem;text-align:start;vertical-align:top}
th{white-space:nowrap}
td{white-space:pre-wrap;overflow-wrap:anywhere;min-width:8ch}`;

const title = (people: readonly Person[]) => `Personal data of ${people.map(nameOf).join(', ')}`;
const nameOf = ({ id, email }: Person) => (email === null ? `user ${id}` : `${email} (user ${id})`);
export const fileNameOf = ({ id }: Pick<Person, 'id'>) => `user-${id}.json`;

export function headOf(people: readonly Person[], madeAt: string): string {
  const links = people.map(
    (person) =>
      `<li><a href="#user-${person.id}">${escaped(nameOf(person))}</a>, also as <a href="${fileNameOf(person)}">JSON</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(title(people))}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(title(people))}</h1>
<p>This is the data that the form service stored at ${timeOf(madeAt)}. All times are in UTC.</p>
<ul>
${links.join('\n')}
</ul>
`;
}

export function sectionOf({ user, submissions, ...others }: ExportedPerson): string {
  const tables = Object.entries(others).map(([name, content]) => tableOf(name, content));
  return `<h2 id="user-${user.id}">${escaped(nameOf(user))}</h2>
${tableOf('user', user)}${tables.join('')}<p>${describeNumbers(submissions)}.</p>
`;
}

/** Shows an object as a row for each property that is not null, and a list of objects as a row for each object. */
function tableOf(name: string, content: unknown): string {
  if (Array.isArray(content)) return listOf(name, content as object[]);
  const given = Object.entries(content as object).filter(([, value]) => value !== null);
  const rows = given.map(
    ([key, value]) => `<tr><th scope="row">${escaped(words(key))}</th>${cell(value)}</tr>`,
  );
  return `<table>${captionOf(name)}${rows.join('')}</table>\n`;
}

function listOf(name: string, rows: readonly object[]): string {
  const names = Object.keys(rows[0] ?? {}).map(words);
  return gridOf(
    name,
    names,
    rows.map((row) => Object.values(row).map(cell)),
  );
}

function gridOf(name: string, names: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return `<p>${escaped(words(name))}: none</p>\n`;
  const head = names.map((one) => `<th scope="col">${escaped(one)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.join('')}</tr>`).join('\n');
  return `<table>${captionOf(name)}<thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table>\n`;
}

const captionOf = (name: string) => `<caption>${escaped(words(name))}</caption>`;

/** For example `Created at` for `created_at`, and `ID` for `id`. */
function words(name: string): string {
  const text = name.replaceAll('_', ' ').replace(/\b(id|uuid)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const td = (html: string) => `<td dir="auto">${html}</td>`;

function cell(value: unknown): string {
  if (value === null) return td('none');
  if (typeof value === 'boolean') return td(value ? 'yes' : 'no');
  return td(escaped(typeof value === 'string' ? value : JSON.stringify(value)));
}

const timeOf = (iso: string) => `<time datetime="${escaped(iso)}">${escaped(iso)}</time>`;

export function submissionOf(submission: WrittenSubmission): string {
  const { uuid, form, values, records, files, ...rest } = submission;
  const filesByValue = new Map(files.map((file) => [`file:${file.uuid}`, file]));
  const entities = new Map(records.map(({ id, entity }) => [id, `${entity} ${id}`]));
  const byRecord = values.toSorted((a, b) => (a.entity_record_id ?? 0) - (b.entity_record_id ?? 0));
  const answers = byRecord.map((value) => [
    td(escaped(value.label || value.field_code)),
    td(answerOf(value, filesByValue.get(value.value))),
    ...(records.length === 0 ? [] : [td(escaped(entities.get(value.entity_record_id ?? 0) ?? ''))]),
  ]);
  const parts = [
    tableOf('submission', { uuid, form: form.slug, ...rest }),
    gridOf('answers', ['Question', 'Answer', ...(records.length === 0 ? [] : ['Record'])], answers),
    ...(records.length === 0 ? [] : [tableOf('records', records)]),
    ...(files.length === 0 ? [] : [gridOf('files', FILE_COLUMNS, files.map(rowOf))]),
  ];
  return `<h3 id="${uuid}">${escaped(form.name)}, ${submission.status}</h3>\n${parts.join('')}`;
}

const FILE_COLUMNS = ['File', 'Field', 'Bytes', 'Type', 'State', 'Created at', 'SHA-256'];

const answerOf = ({ value, shown }: ExportedValue, file: WrittenFile | undefined) =>
  file === undefined
    ? escaped(shown === undefined || shown === value ? value : `${shown} (${value})`)
    : linkTo(file);

const rowOf = (file: WrittenFile) => [
  td(linkTo(file)),
  ...[file.field_code, file.size, file.media_type, file.state, file.created_at, file.sha256].map(cell),
];

const linkTo = ({ name, path, left_out: reason }: WrittenFile) =>
  path === null ? `${escaped(name)}<br>${escaped(reason ?? '')}` : `<a href="${path}">${escaped(name)}</a>`;

export function footOf(leftOut: readonly string[], stays: readonly string[]): string {
  const list = (sentences: readonly string[]) =>
    `<ul>\n${sentences.map((sentence) => `<li>${escaped(sentence)}</li>`).join('\n')}\n</ul>\n`;
  const missing = leftOut.length === 0 ? '' : `<h2>Files without content</h2>\n${list(leftOut)}`;
  return `${missing}<h2>What this export does not contain</h2>\n${list(stays)}</body>\n</html>\n`;
}
