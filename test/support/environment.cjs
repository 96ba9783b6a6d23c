// What the spec files of one worker share, each of which has modules and globals of its own otherwise: the process that
// their services run in (`service.ts`), and the schemas of the OpenAPI document (`documented.ts`). Loading the one and
// compiling the other takes longer than most spec files do.
const { fork } = require('node:child_process');
const { readFileSync } = require('node:fs');
const inspector = require('node:inspector');
const { TestEnvironment } = require('jest-environment-node');

// A worker that ends gives back what all of its files took piece by piece, for which a loaded machine needs longer than the
// half second that jest waits. This leaves it to the operating system.
if (process.send !== undefined) process.once('exit', () => process.exit());

let host;
let requests = 0;
const waiting = new Map();

/** The response to a request of `service-host.mjs`, as JSON; each spec file makes objects of its own of it. */
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
  // If jest runs in a debugger, the service can be debugged too, on the next port.
  const execArgv = inspector.url() === undefined ? [] : ['--inspect=9230'];
  const started = fork(require.resolve('./service-host.mjs'), { execArgv });
  started.on('message', ({ id, response }) => {
    waiting.get(id)?.(response);
    waiting.delete(id);
  });
  started.once('exit', (code, signal) => {
    if (host !== started) return;
    host = undefined;
    const error = { message: `The process of the services ended (${code ?? signal}).` };
    for (const respond of waiting.values()) respond(JSON.stringify({ error }));
    waiting.clear();
  });
  // It ends with this process, and never keeps it.
  started.unref();
  started.channel.unref();
  return started;
}

/** What a spec file that failed has left open, must not meet the next one. */
async function endHostInUse() {
  if (host === undefined) return;
  const { value: open } = JSON.parse(await askServiceHost({ method: 'countServices' }));
  if (open === 0) return;
  const left = host;
  host = undefined;
  left.kill('SIGKILL');
}

let documented;

/** What is wrong with a value by a schema of the OpenAPI document; undefined where nothing is. */
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
  const { components } = JSON.parse(readFileSync(process.env.FORMTRAIL_TEST_OPENAPI, 'utf8'));
  return { ajv, components, compiled: new Map() };
}

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.assign(this.global, { askServiceHost, mistakesIn });
  }

  async teardown() {
    await endHostInUse();
    await super.teardown();
  }
};
