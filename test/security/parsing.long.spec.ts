import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Type } from '@nestjs/common';
import { presentProblem, presentProblemDetails } from '../../src/http/errors/problem.presenter.js';
import { readJson } from '../../src/http/bodies/json-body.js';
import { BodyLease } from '../../src/http/bodies/body-budget.js';
import { Problem } from '../../src/http/errors/problems.js';
import { RequestValidationPipe } from '../../src/http/bodies/request-validation.pipe.js';
import { CreateSubmissionDto } from '../../src/submissions/dto/create-submission.dto.js';
import { PatchSubmissionDto } from '../../src/submissions/dto/patch-submission.dto.js';
import { StoreValuesDto } from '../../src/submissions/dto/store-values.dto.js';

const MIB = 1_048_576;
const MAX_VALUES = 20_000;

const repeat = (count: number, elementOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => elementOf(index)).join();
/** Returns as many elements of this size as fit into a body. */
const filled = (size: number, elementOf: (index: number) => string) =>
  repeat(Math.floor((MIB - 40) / (size + 1)), elementOf);
const entries = (entryOf: (index: number) => string) => `{"values": [${repeat(500, entryOf)}]}`;

/** A valid body of 1 MiB, as a client could send it. */
const LEGAL = `{"values": [${repeat(15, (i) => `{"field_code": "f${i}", "value": "${'x'.repeat(65_535)}"}`)}]}`;

const BODIES: [string, Type<object>, string][] = [
  ['90,000 keys', PatchSubmissionDto, `{"meta": {${filled(10, (i) => `"k${i}":1`.padEnd(10))}}}`],
  ['340,000 empty objects', StoreValuesDto, `{"values": [${filled(2, () => '{}')}]}`],
  ['520,000 numbers', StoreValuesDto, `{"values": [${filled(1, () => '0')}]}`],
  [
    'nesting at every place',
    PatchSubmissionDto,
    `{"meta": {"a": [${filled(120, () => '['.repeat(60) + ']'.repeat(60))}]}}`,
  ],
  ['brackets without an end', StoreValuesDto, '['.repeat(MIB)],
  ['escapes of U+0000', StoreValuesDto, `{"values": [{"value": "${'\\u0000'.repeat(MIB / 6 - 10)}"}]}`],
  ['a meta of one long key', PatchSubmissionDto, `{"meta": {"${'a'.repeat(MIB - 20)}": 1}}`],
  ['a form_uuid of 1 MiB', CreateSubmissionDto, `{"form_uuid": "${'a'.repeat(MIB - 20)}"}`],
  ['a number of as many digits as fit', PatchSubmissionDto, `{"meta": {"a": ${'9'.repeat(MIB - 20)}}}`],
  [
    'the most and longest keys',
    PatchSubmissionDto,
    `{"meta": {${repeat(MAX_VALUES - 10, (i) => `"${'z'.repeat(42)}${i}":1`)}}}`,
  ],
  ['the most unknown properties', CreateSubmissionDto, `{${repeat(MAX_VALUES - 10, (i) => `"k${i}":1`)}}`],
  [
    'the most objects',
    PatchSubmissionDto,
    `{"meta": {"a": [${repeat(MAX_VALUES / 2 - 10, (i) => `{"k${i}":1}`)}]}}`,
  ],
  [
    'entries with an error in every property',
    StoreValuesDto,
    entries(() => '{"field_id":"x","field_code":1,"value":1,"entity_record_id":"x"}'),
  ],
  [
    'the same, as long as possible',
    StoreValuesDto,
    entries(
      () => `{"field_id":"x","field_code":1,"value":"${'\\u0000'.repeat(330)}","entity_record_id":"x"}`,
    ),
  ],
];

/** Parses and validates a body, and serializes the error response if there is one. Returns the status. */
async function respondTo(text: Buffer, dto: Type<object>): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const payload = Object.assign(Readable.from([text]), { headers }) as unknown as IncomingMessage;
  const lease = new BodyLease();
  try {
    new RequestValidationPipe().transform(await readJson(payload, () => lease), {
      type: 'body',
      metatype: dto,
    });
    return 200;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    JSON.stringify(presentProblem(error));
    JSON.stringify(presentProblemDetails(error));
    return error.status;
  } finally {
    lease.end();
  }
}

/** Measures CPU time, because the machine may be busy with other work. Returns the best of several attempts. */
async function microseconds(work: () => unknown, attempts = 5): Promise<number> {
  let best = Infinity;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const from = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(from);
    best = Math.min(best, user + system);
  }
  return best;
}

const legal = Buffer.from(LEGAL);
/** Parses ten valid bodies, which takes about 10 milliseconds. */
const parseLegal = () => {
  for (let times = 0; times < 10; times += 1) JSON.parse(legal.toString());
};

describe('a body that is expensive for its size', () => {
  it.each(BODIES)('takes less CPU time than parsing 40 valid bodies of 1 MiB: %s', async (_, dto, text) => {
    const body = Buffer.from(text);
    expect(body.length).toBeLessThanOrEqual(MIB);
    expect(await respondTo(body, dto)).toBeLessThan(500);
    const hostile = await microseconds(() => respondTo(body, dto));
    expect(hostile / (await microseconds(parseLegal))).toBeLessThan(4);
  });
});

it('checking the limits of a body takes less time than parsing it', async () => {
  const read = () => respondTo(legal, StoreValuesDto);
  const readTen = async () => {
    for (let times = 0; times < 10; times += 1) await read();
  };
  expect(await read()).toBe(200);
  await microseconds(readTen);
  expect((await microseconds(readTen, 20)) / (await microseconds(parseLegal, 20))).toBeLessThan(2);
});
