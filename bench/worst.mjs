import { readFile, writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from './bench-error.mjs';
import { createDatabase, openServer } from './database.mjs';
import { median } from './report.mjs';
import { freePort, startService } from './servers.mjs';
import { machine } from './surroundings.mjs';
import { createWorst } from './worst-forms.mjs';

/** Measures the worst legal request of each route: how long it blocks the process, and its peak memory. */
export async function bench(options, { say, closing }) {
  if (process.platform !== 'linux')
    throw new BenchError('The memory of a process can be measured on Linux only.');
  const server = await openServer();
  closing.push(server.close);
  const database = await createDatabase(server, 10);
  closing.push(database.drop);
  const worst = await createWorst(database);
  const port = await freePort();
  const stops = new URL('stops.mjs', import.meta.url).href;
  const service = await startService(database, 'formtrail', { STOPS_PORT: port }, [`--import=${stops}`]);
  closing.push(service.stop);

  const ask = async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).json();
  const send = async ([method, path, body]) => {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${database.token}`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      body,
    });
    await response.arrayBuffer();
    if (response.status >= 500) throw new BenchError(`${method} ${path}: ${response.status}`);
    return response.status;
  };

  // V8 optimizes the loop only after some rounds.
  for (let round = 0; round < 10; round += 1) await ask('/calibrate');

  const results = [];
  for (const [what, request, before] of requests(worst)) {
    const turns = [];
    // Turn 0 includes compilation, and is reported separately.
    for (let turn = 0; turn <= options.pairs; turn += 1) {
      await before?.();
      await sleep(20);
      // Resets the peak, VmHWM (proc(5)).
      await writeFile(`/proc/${service.pid}/clear_refs`, '5');
      const calibrationBefore = await ask('/calibrate');
      await ask('/reset');
      const others = new Others(service, database, worst.small);
      const status = await send(request);
      const stop = await ask('/longest');
      turns.push({
        ...{ what, status, stop, others: await others.median(), memory: await peakMemory(service) },
        // The machine may be slow for seconds: calibrate on both sides of each request.
        calibration: Math.max(calibrationBefore, await ask('/calibrate')),
      });
    }
    const later = turns.slice(1);
    const middle = (name) => median(later.map((turn) => turn[name]));
    const least = (name) => Math.min(...later.map((turn) => turn[name] / turn.calibration));
    results.push({
      ...{ what, status: later[0].status, first: turns[0].stop },
      ...{ leastStop: least('stop'), leastOthers: least('others') },
      ...{ stop: middle('stop'), others: middle('others') },
      ...{ memory: middle('memory'), calibration: middle('calibration') },
    });
    say(what);
  }
  return { surroundings: machine(), results, tables: [table(results)] };
}

/** Sends small reads of another submission, one after another, until `median` is called. */
class Others {
  #times = [];
  #isStopped = false;
  #done;

  constructor(service, { token }, path) {
    this.#done = (async () => {
      while (!this.#isStopped) {
        const start = performance.now();
        await (
          await fetch(service.url + path, { headers: { Authorization: `Bearer ${token}` } })
        ).arrayBuffer();
        this.#times.push(performance.now() - start);
      }
    })();
  }

  async median() {
    this.#isStopped = true;
    await this.#done;
    return median(this.#times);
  }
}

function requests(worst) {
  const entries = (count, value) =>
    JSON.stringify({
      values: Array.from({ length: count }, (_, index) => ({ field_code: `field_${index + 1}`, value })),
    });
  const filler = (text, count) => `{"values":[],"unknown":[${Array(count).fill(text).join()}]}`;
  return [
    ['nothing else', ['GET', worst.small]],
    ['schema of 10,000 fields', ['GET', `${worst.large}/schema`]],
    ['schema of 10,000 fields, just changed', ['GET', `${worst.large}/schema`], worst.change],
    ['the same in another language', ['GET', `${worst.large}/schema?locale=de`], worst.change],
    ['conditions of 10,000 fields', ['GET', `${worst.ofLarge}/conditions?shape=list`]],
    ['conditions of 10,000 fields, just changed', ['GET', `${worst.ofLarge}/conditions`], worst.change],
    ['conditions of 10,000 fields on 1,000 steps', ['GET', `${worst.ofStepped}/conditions?steps=true`]],
    ['the same, explained', ['GET', `${worst.ofStepped}/conditions?steps=true&explain=true&shape=list`]],
    ['advance over these steps', ['POST', `${worst.ofStepped}/advance?skip=hidden`], worst.restart],
    [
      'the same, with conditions included',
      ['POST', `${worst.ofStepped}/advance?skip=hidden&validate=true&include=conditions&steps=true`],
      worst.restart,
    ],
    [
      '10,000 fields hidden by 1,000 conditions of a step, explained',
      ['GET', `${worst.ofCrowded}/conditions?steps=true&explain=true&shape=list`],
    ],
    ['advance from this step', ['POST', `${worst.ofCrowded}/advance?skip=hidden`]],
    ['validation of this step', ['GET', `${worst.ofCrowded}/validation?step=1`]],
    [
      'conditions of 200 records of 100 fields',
      ['GET', `${worst.ofGrouped}/conditions?scope=records&shape=list`],
    ],
    ['the same, explained', ['GET', `${worst.ofGrouped}/conditions?scope=records&explain=true&shape=list`]],
    ['read of 10,000 values, 2 MiB', ['GET', worst.full]],
    ['read of 10,000 values, control characters', ['GET', worst.escaped]],
    ['conditions of 10,000 values', ['GET', `${worst.full}/conditions?scope=records`]],
    ['validation of 10,000 values', ['GET', `${worst.full}/validation`]],
    ['validation of 200 texts by a pattern of many states', ['GET', `${worst.matched}/validation`]],
    ['validation of 2 MiB by a pattern of words', ['GET', `${worst.long}/validation`]],
    ['conditions that search a long text 2,000 times', ['GET', `${worst.searched}/conditions`]],
    ['validation of the same', ['GET', `${worst.searched}/validation`]],
    ['conditions that compare 200 long answers', ['GET', `${worst.together}/conditions`]],
    [
      '1,000 computed values, 800 of them in records',
      ['GET', `${worst.calculated}/conditions?computed=true`],
    ],
    ['the same, explained', ['GET', `${worst.calculated}/conditions?computed=true&explain=true`]],
    ['validation of the same', ['GET', `${worst.calculated}/validation`]],
    ['500 values of 2,000 characters', ['POST', `${worst.empty}/values`, entries(500, 'a'.repeat(2_000))]],
    ['15 values of 65,535 characters', ['POST', `${worst.empty}/values`, entries(15, 'a'.repeat(65_535))]],
    [
      '500 entries that are all wrong',
      ['POST', `${worst.empty}/values`, JSON.stringify({ values: Array(500).fill({}) })],
    ],
    ['a body of 340,000 {}', ['POST', `${worst.empty}/values`, filler('{}', 340_000)]],
    ['a body of 520,000 numbers', ['POST', `${worst.empty}/values`, filler('1', 520_000)]],
    [
      'a body of 90,000 keys',
      [
        'POST',
        `${worst.empty}/values`,
        `{${Array.from({ length: 90_000 }, (_, key) => `"k${key}":1`).join()}}`,
      ],
    ],
    ['meta of 16 KiB', ['PATCH', worst.empty, JSON.stringify({ meta: { text: 'a'.repeat(16_000) } })]],
  ];
}

async function peakMemory({ pid }) {
  return Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

function table(results) {
  return [
    [
      '',
      'status',
      'first stop, ms',
      'longest stop, ms',
      'a loop of 50 million, ms',
      'others, ms',
      'peak memory, MiB',
    ],
    ...results.map(({ what, status, first, stop, calibration, others, memory }) => [
      what,
      String(status),
      ...[first, stop, calibration, others, memory].map((number) => number.toFixed(1)),
    ]),
  ];
}
