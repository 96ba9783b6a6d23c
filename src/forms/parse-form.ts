import { setImmediate } from 'node:timers/promises';
import { inSlices } from '../http/slices.js';
import type { WholeFormRow, WholeFormText } from './form.statements.js';

export async function parseForm(form: WholeFormText): Promise<WholeFormRow> {
  // Decoding PostgreSQL's response has already used this turn of the event loop.
  await setImmediate();
  return {
    ...form,
    steps: await inSlices(parseLines<WholeFormRow['steps'][number]>(form.steps)),
    fields: await inSlices(parseLines<WholeFormRow['fields'][number]>(form.fields)),
    conditions: await inSlices(parseLines<WholeFormRow['conditions'][number]>(form.conditions)),
    entities: await inSlices(parseLines<WholeFormRow['entities'][number]>(form.entities)),
  };
}

/** Parses JSON texts on lines of their own. */
export function* parseLines<Row>(text: string): Generator<undefined, Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const next = end === -1 ? text.length : end;
    rows.push(JSON.parse(text.slice(start, next)) as Row);
    start = next + 1;
    yield;
  }
  return rows;
}
