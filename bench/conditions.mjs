import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import { readFile } from 'node:fs/promises';
import { BenchError } from './bench-error.mjs';
import { requireSame } from './checks.mjs';
import { median } from './report.mjs';
import { machine } from './surroundings.mjs';

const SIZES = [30, 300, 3_000, 10_000];
/** Numbers of records of an entity. */
const RECORDS = [50, 100, 200];
const FIELDS_OF_RECORD = 20;
/** Milliseconds for which an engine is timed at one size. */
const TIME = 1_000;
/** An engine that takes more milliseconds for one evaluation is skipped at the next size. */
const TOO_LONG = 2_000;

/** Compares the rule engine with libraries on the same forms. All results must be equal. */
export async function bench(_options, { say }) {
  const versions = await libraries();
  const { ENGINES } = await import('./rules/engines.mjs');
  const { generateForm } = await import('./rules/forms.mjs');
  const results = Object.keys(ENGINES).map((engine) => ({ engine, milliseconds: [] }));
  for (const size of SIZES) {
    const form = generateForm(size);
    const expected = await statesOf(ENGINES.formtrail, form);
    for (const { engine, milliseconds } of results) {
      if (milliseconds.length > 0 && (milliseconds.at(-1) ?? Infinity) > TOO_LONG) {
        milliseconds.push(undefined);
        continue;
      }
      const states = await statesOf(ENGINES[engine], form);
      requireSame(expected, states, `${engine} differs on ${size} fields`);
      milliseconds.push(await time(ENGINES[engine], form));
      say(`${size} fields, ${engine}: ${milliseconds.at(-1).toPrecision(3)} ms`);
    }
  }
  return {
    surroundings: [
      ...machine(),
      versions.join(', '),
      'milliseconds for the states of a whole form, one condition per field',
    ],
    results,
    tables: [
      await recordsTable(generateForm(FIELDS_OF_RECORD)),
      [
        ['', ...SIZES.map((size) => `${size.toLocaleString('en')} fields`)],
        ...results.map(({ engine, milliseconds }) => [
          engine,
          ...milliseconds.map((one) =>
            one === undefined ? 'not tried' : String(Number(one.toPrecision(2))),
          ),
        ]),
      ],
    ],
  };
}

/**
 * Returns a table of the milliseconds to build the body of `GET …/conditions?scope=records`,
 * by the number of records.
 */
async function recordsTable(form) {
  const { compileRules } = await import('../dist/src/conditions/engine/index.js');
  const { resolveConditions } = await import('../dist/src/conditions/states/resolve-conditions.js');
  const entity = { name: 'line' };
  const fields = form.fields.map((field) => ({ ...field, isRepeatable: true, entity: entity.name }));
  const published = {
    fields,
    rules: compileRules(fields),
    entitiesById: new Map([[1, { ...entity, fields }]]),
  };
  const evaluate = () => (stored) =>
    Buffer.byteLength(resolveConditions(published, stored, { scope: 'records' }, 'map'));
  const row = ['conditions of all records'];
  for (const count of RECORDS) {
    const records = Array.from({ length: count }, (_, index) => [index + 1, 1]);
    const answers = form.answers.map((values) => ({
      records,
      values: records.flatMap(([record]) => values.map(([field, , value]) => [field, record, value])),
    }));
    row.push((await time(evaluate, { fields, answers })).toPrecision(2));
  }
  return [['', ...RECORDS.map((count) => `${count} records of ${FIELDS_OF_RECORD} fields`)], row];
}

async function libraries() {
  const { devDependencies } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'));
  try {
    await import('json-logic-js');
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new BenchError('The libraries to compare with are missing: run "npm ci --prefix bench" first.', {
      cause: error,
    });
  }
  return Object.entries(devDependencies)
    .filter(([name]) => name !== 'autocannon')
    .map(([name, version]) => `${name} ${version}`);
}

/** Returns the states of the fields for each set of values, in the same shape for every engine. */
async function statesOf(prepare, { fields, answers }) {
  const evaluate = await prepare(fields);
  const all = [];
  for (const values of answers) {
    const result = await evaluate(values);
    const states = typeof result === 'string' ? Object.values(JSON.parse(result)) : result;
    all.push(states.map(({ visible, required }) => [visible, required]));
  }
  return all;
}

/** Returns the median milliseconds of an evaluation. Fast evaluations are timed in batches of about 20 ms. */
async function time(prepare, { fields, answers }) {
  const evaluate = await prepare(fields);
  let turn = 0;
  const batch = async (count) => {
    const startedAt = performance.now();
    for (let index = 0; index < count; index += 1) {
      const result = evaluate(answers[turn++ % answers.length]);
      // Do not await a value that is not a promise, because this would take longer than the fastest engine.
      if (result instanceof Promise) await result;
    }
    return (performance.now() - startedAt) / count;
  };
  const first = await batch(1);
  const count = Math.max(1, Math.floor(20 / first));
  const taken = [first];
  for (const endAt = performance.now() + TIME; performance.now() < endAt;) taken.push(await batch(count));
  return median(taken.length > 1 ? taken.slice(1) : taken);
}
