// Jest gives each spec file its own modules and globals. What takes longer than most spec files is shared by all spec files of
// a worker: the built program and the packages (`load-once.cjs`), the process that runs services, a database with a service
// (`service.ts`), and the compiled schemas of the OpenAPI document (`documented.ts`).
const { fork } = require('node:child_process');
const { readFileSync } = require('node:fs');
const inspector = require('node:inspector');
const { TestEnvironment } = require('jest-environment-node');

// A worker that ends normally frees its memory piece by piece. On a loaded machine, this takes longer than the half
// second that jest waits. Exit at once instead: the operating system frees the memory.
if (process.send !== undefined) process.once('exit', () => process.exit());

let host;
let requests = 0;
const waiting = new Map();

/** Sends a request to `service-host.mjs`. Returns the response as JSON, because each spec file has its own globals. */
function askServiceHost(request) {
  host ??= startHost();
  const id = (requests += 1);
  return new Promise((resolve, reject) => {
    waiting.set(id, resolve);
    host.send({ id, request }, (error) => {
      if (error !== null) reject(error);
    });
  });
}

function startHost() {
  // If jest runs in a debugger, the host listens for a debugger on the next port.
  const execArgv = inspector.url() === undefined ? [] : ['--inspect=9230'];
  const started = fork(require.resolve('./service-host.mjs'), { execArgv });
  started.on('message', ({ id, response }) => {
    waiting.get(id)?.(response);
    waiting.delete(id);
  });
  started.once('exit', (code, signal) => {
    if (host !== started) return;
    host = undefined;
    shared.url = undefined;
    const error = { message: `The process of the services ended (${code ?? signal}).` };
    for (const respond of waiting.values()) respond(JSON.stringify({ error }));
    waiting.clear();
  });
  // The host ends with this process and does not keep this process alive.
  started.unref();
  started.channel.unref();
  return started;
}

/** The database and the service of `useService()`. */
const shared = {};

/** Kills the host if a failed spec file has left services open, so that the next spec file gets a fresh one. */
async function endHostInUse() {
  if (host === undefined) {
    // A hook that jest has given up may have started the shared service late, in a host that is gone.
    shared.url = undefined;
    return;
  }
  const { value: open } = JSON.parse(await askServiceHost({ method: 'countServices' }));
  if (open === (shared.url === undefined ? 0 : 1)) return;
  const left = host;
  host = undefined;
  shared.url = undefined;
  left.kill('SIGKILL');
}

/** The ids of the rows that tests create (`rows.ts`). The database's own sequences stay far below. */
let lastId = 1_000_000;
const newId = () => (lastId += 1);

let documented;

/** Returns why the value violates this schema of the OpenAPI document, or undefined if it is valid. */
function mistakesIn(schema, value) {
  documented ??= openDocument();
  const { ajv, components, compiled } = documented;
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile({ ...JSON.parse(schema), components });
    compiled.set(schema, validate);
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

function openDocument() {
  const { Ajv2020 } = require('ajv/dist/2020.js');
  const addFormats = require('ajv-formats');
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const { components } = JSON.parse(readFileSync(require.resolve('../../dist/openapi.json'), 'utf8'));
  return { ajv, components, compiled: new Map() };
}

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    // The program and its packages use the dates and the environment variables of the worker.
    this.global.Date = Date;
    this.global.process.env = process.env;
    this.global.worker = { load: require, askServiceHost, shared, newId, mistakesIn };
  }

  async teardown() {
    await endHostInUse();
    await super.teardown();
  }
};
