import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BenchError } from './bench-error.mjs';
import { processTimes } from './cpu.mjs';
import { createDatabase, openServer } from './database.mjs';
import { median } from './report.mjs';
import { ROOT } from './root.mjs';
import { startService } from './servers.mjs';
import { machine } from './surroundings.mjs';

const MIB = 2 ** 20;
const LARGE = 25 * MIB;
const SMALL = 1024;
/** Number of files of each size in a turn. */
const FILES = 4;
/** Number of parallel uploads, and bytes of each upload. */
const AT_ONCE = 200;
const EACH = 4 * MIB;
const BUCKET = 'bench';

/** Measures the CPU time of files in a folder and in S3, and the memory of many parallel uploads. */
export async function bench(options, { say, closing }) {
  if (process.platform !== 'linux')
    throw new BenchError('CPU and memory of a process can be measured on Linux only.');
  const folder = await mkdtemp(path.join(tmpdir(), 'formtrail-bench-files-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const s3 = await startS3(path.join(folder, 's3'));
  closing.push(s3.stop);
  const server = await openServer();
  closing.push(server.close);
  const database = await createDatabase(server, 10);
  closing.push(database.drop);
  await database.client.query(`insert into fields (form_id, step_id, code, label, field_type_id, "order")
    select form_id, min(id), 'cv', 'CV', (select id from field_types where name = 'file'), 999 from steps group by form_id`);
  const services = [];
  for (const [name, variables] of Object.entries({
    folder: { FILES_URL: pathToFileURL(path.join(folder, 'files')).href },
    S3: { FILES_URL: `s3://${BUCKET}/files`, ...s3.variables },
  })) {
    const service = await startService(database, name, variables);
    closing.push(service.stop);
    services.push(service);
  }
  const turns = [];
  // The costs of turn 0 are dropped, because the code is not compiled yet.
  for (let turn = 0; turn <= options.pairs; turn += 1) {
    for (const service of services) {
      for (const size of [SMALL, LARGE]) {
        const cost = await costOf(service, size);
        if (turn > 0) turns.push({ service: service.name, size, ...cost });
      }
      say(`${turn === 0 ? 'warm' : `turn ${turn}`}, ${service.name}`);
    }
  }
  const memory = [];
  for (const service of services) memory.push({ service: service.name, ...(await memoryOf(service)) });
  const [{ server_version }] = (await database.client.query('show server_version')).rows;
  return {
    surroundings: [
      ...machine(),
      `PostgreSQL ${server_version} and s3rver on the same machine`,
      `${options.pairs} turns of ${FILES} files of each size, one after another`,
    ],
    results: { turns, memory },
    tables: [costs(turns), memories(memory)],
  };
}

/**
 * Returns the CPU milliseconds that the service needs for the announcement and upload of a file, and for the commit.
 */
async function costOf(service, size) {
  const times = { upload: 0, commit: 0 };
  for (let index = 0; index < FILES; index += 1) {
    const content = randomBytes(size);
    const submission = await begin(service);
    const before = await cpuOf(service);
    const file = await upload(service, submission, content);
    const uploaded = await cpuOf(service);
    await send(service, 'POST', `${file}/commit`);
    times.upload += uploaded - before;
    times.commit += (await cpuOf(service)) - uploaded;
  }
  return { upload: times.upload / FILES, commit: times.commit / FILES };
}

/** Returns the resident memory in MiB before the uploads, and its peak during the uploads. */
async function memoryOf(service) {
  const content = randomBytes(EACH);
  const submissions = [];
  // Each submission gets ten uploads. It may have 20 pending files (U5).
  for (let index = 0; index < AT_ONCE / 10; index += 1) submissions.push(await begin(service));
  const before = await residentOf(service, 'VmRSS');
  // Resets the peak, VmHWM (proc(5)).
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) =>
      upload(service, submissions[index % submissions.length], content),
    ),
  );
  return { before, peak: await residentOf(service, 'VmHWM') };
}

async function begin(service) {
  const [{ uuid }] = (await service.database.client.query('select uuid from forms')).rows;
  const { data } = await send(service, 'POST', '/api/v1/submissions', { form_uuid: uuid });
  return `/api/v1/submissions/${data.uuid}`;
}

/** Announces a file and uploads its content. Returns the path of the file. */
async function upload(service, submission, content) {
  const announced = {
    ...{ field_code: 'cv', name: 'cv.bin', media_type: 'application/octet-stream', size: content.length },
    sha256: createHash('sha256').update(content).digest('hex'),
  };
  const { data } = await send(service, 'POST', `${submission}/files`, announced);
  const { url, headers } = data.upload;
  const own = url.startsWith(service.url) ? authorization(service) : {};
  const response = await fetch(url, { method: 'PUT', headers: { ...headers, ...own }, body: content });
  if (!response.ok)
    throw new BenchError(`An upload was rejected: ${response.status} ${await response.text()}`);
  return `${submission}/files/${data.uuid}`;
}

async function send(service, method, target, body) {
  const response = await fetch(service.url + target, {
    method,
    headers: { ...authorization(service), ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new BenchError(`${method} ${target}: ${response.status} ${await response.text()}`);
  return response.json();
}

const authorization = ({ database }) => ({ Authorization: `Bearer ${database.token}` });

const cpuOf = async ({ pid }) => (await processTimes(pid)).own / 1_000;

async function residentOf({ pid }, what) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)[1]) / 1024;
}

/** Starts the S3 server in a separate process, so that its CPU is not counted for the service. */
async function startS3(directory) {
  const options = { directory, address: '127.0.0.1', port: 0, silent: true };
  const program = `const S3rver = require('s3rver');
    new S3rver({ ...${JSON.stringify(options)}, configureBuckets: [{ name: '${BUCKET}', configs: [] }] })
      .run().then(({ port }) => console.log(port));`;
  const child = spawn(process.execPath, ['-e', program], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const [port] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [])]);
  if (port === undefined) throw new BenchError('The S3 server has ended; see above.');
  const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'us-east-1' };
  return {
    variables: { ...keys, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${String(port).trim()}` },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function costs(turns) {
  const rows = [];
  for (const service of new Set(turns.map((turn) => turn.service))) {
    for (const size of [SMALL, LARGE]) {
      const own = turns.filter((turn) => turn.service === service && turn.size === size);
      const middle = (part) => median(own.map((turn) => turn[part]));
      const label = size === LARGE ? '25 MiB' : '1 KiB';
      rows.push([service, label, middle('upload').toFixed(1), middle('commit').toFixed(1)]);
    }
  }
  return [['', 'file', 'announced and uploaded, CPU ms', 'committed, CPU ms'], ...rows];
}

function memories(memory) {
  const head = ['', 'memory before, MiB', `peak with ${AT_ONCE} parallel uploads of ${EACH / MIB} MiB, MiB`];
  return [head, ...memory.map(({ service, before, peak }) => [service, before.toFixed(0), peak.toFixed(0)])];
}
