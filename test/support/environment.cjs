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

/** A process that the spec files share. Its first request starts it. */
class Host {
  #process;
  #requests = 0;
  #waiting = new Map();

  constructor(file, execArgv) {
    this.file = file;
    this.execArgv = execArgv;
  }

  get isRunning() {
    return this.#process !== undefined;
  }

  /** Returns the response as JSON, because each spec file has its own globals. */
  ask(request) {
    this.#process ??= this.#start();
    const id = (this.#requests += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.#process.send({ id, request }, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  end() {
    const left = this.#process;
    this.#process = undefined;
    left?.kill('SIGKILL');
  }

  #start() {
    const started = fork(require.resolve(this.file), { execArgv: this.execArgv });
    started.on('message', ({ id, response }) => {
      this.#waiting.get(id)?.(response);
      this.#waiting.delete(id);
    });
    started.once('exit', (code, signal) => {
      if (this.#process === started) this.#process = undefined;
      const error = { message: `The process of ${this.file} ended (${code ?? signal}).` };
      for (const respond of this.#waiting.values()) respond(JSON.stringify({ error }));
      this.#waiting.clear();
    });
    // The process ends with this process and does not keep this process alive.
    started.unref();
    started.channel.unref();
    return started;
  }
}

// If jest runs in a debugger, the services listen for a debugger on the next port.
const services = new Host('./service-host.mjs', inspector.url() === undefined ? [] : ['--inspect=9230']);
const commandLine = new Host('./command-line-host.mjs', []);

/** The database and the service of `useService()`. */
const shared = {};

/** Ends the services if a failed spec file has left some open, so that the next spec file gets a fresh process. */
async function endServicesInUse() {
  if (services.isRunning) {
    const { value: open } = JSON.parse(await services.ask({ method: 'countServices' }));
    if (open === (shared.url === undefined ? 0 : 1)) return;
    services.end();
  }
  shared.url = undefined;
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
    this.global.worker = {
      load: require,
      askServiceHost: (request) => services.ask(request),
      runCommand: (command) => commandLine.ask(command),
      shared,
      newId,
      mistakesIn,
    };
  }

  async teardown() {
    await endServicesInUse();
    await super.teardown();
  }
};
