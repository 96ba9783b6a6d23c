// Runs the built service for all spec files of a jest worker, because a shared process loads the program only once, and
// V8 optimises more of the code the longer the process runs.
import 'reflect-metadata';
import process from 'node:process';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../dist/src/server/app.js';
import { Environment } from '../../dist/src/config/environment.js';
import { readEnvironment } from '../../dist/src/server/read-environment.js';
import { ChangeListener } from '../../dist/src/database/change-listener.js';
import { createDataSource } from '../../dist/src/server/data-source.js';
import { withoutSpan } from '../../dist/src/process/in-span.js';
import { createLogger } from '../../dist/src/process/logging.js';
import { Measurements } from '../../dist/src/process/measurements.js';
import { Lifecycle } from '../../dist/src/server/health/lifecycle.js';
import { ConnectionDrain } from '../../dist/src/http/wire/connection-drain.js';
import { IdempotencyService } from '../../dist/src/submissions/idempotency/idempotency.service.js';

process.once('disconnect', () => process.exit());

// Turn Nest's logger off, because a listener may log before its application has a logger.
Logger.overrideLogger(false);

async function openMetrics(measurements) {
  const { Metrics } = await import('../../dist/src/capabilities/metrics/metrics.js');
  const { startMetrics } = await import('../../dist/src/capabilities/metrics/start-metrics.js');
  const environment = await readEnvironment({ METRICS_PORT: '0' });
  const { startFields, close } = await startMetrics({
    environment,
    packageRoot: process.cwd(),
    measurements,
  });
  return { registry: Metrics.of(measurements).registry, url: startFields.metricsUrl, close };
}

/** Imported late, because tests of the core run without this capability too. */
const ofFiles = (name) => import(`../../dist/src/capabilities/files/${name}.js`);

/** The methods of each running service, by its URL. */
const services = new Map();

const host = {
  /** Returns the URL of a new service. The AWS SDK reads `AWS_` variables from `process.env` itself. */
  async start({ variables, redisUrl, connection, pooled, openApiFile, logLevel, hasMetrics = false }) {
    const ofAws = Object.entries(variables).filter(([name]) => name.startsWith('AWS_'));
    const before = ofAws.map(([name]) => [name, process.env[name]]);
    Object.assign(process.env, Object.fromEntries(ofAws));
    const environment = Object.assign(new Environment(), await readEnvironment(variables), {
      redisUrl,
      // Any free port. Tests of the metrics themselves ask for it.
      metricsPort: hasMetrics ? 0 : undefined,
    });
    const pool = createDataSource(pooled, { size: environment.databasePoolSize, deadlines: true });
    const dataSource = await pool.initialize();
    const listener = new ChangeListener(connection);
    await listener.start();
    const lines = [];
    const write = (line) => void lines.push(line);
    const logger = logLevel === undefined ? pino({ level: 'silent' }) : createLogger({ logLevel }, { write });
    const measurements = new Measurements();
    const metrics = hasMetrics ? await openMetrics(measurements) : undefined;
    const database = { direct: { connection } };
    const program = { environment, logger, database, measurements, inSpan: withoutSpan };
    const app = await createApp({ program, dataSource, listener, openApiFile });
    if (environment.filesUrl !== undefined) {
      const { FileWorkService } = await ofFiles('file-work.service');
      await app.get(FileWorkService).onModuleDestroy();
    }
    const server = app.getHttpServer();
    const connections = new ConnectionDrain(server);
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    services.set(url, {
      async close() {
        await connections.end(0);
        await app.close();
        await metrics?.close();
        await listener.close();
        await dataSource.destroy();
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
        services.delete(url);
      },
      logLines: () => lines,
      metricsUrl: () => metrics.url,
      failToReadMetrics() {
        metrics.registry.metrics = () => Promise.reject(new Error('reading is broken'));
      },
      routes: () => app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false }),
      isHearing: () => listener.hearing,
      // PostgreSQL sends all notifications of committed changes before the response.
      hear: () => listener.client.query('select'),
      openConnections: () =>
        new Promise((resolve, reject) => {
          server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
        }),
      async workOnFiles() {
        const { FileWorker } = await ofFiles('file-worker');
        await app.get(FileWorker).delete();
        await app.get(FileWorker).scan();
      },
      deleteExpiredKeys: () => app.get(IdempotencyService, { strict: false }).deleteExpired(),
      beginToStop() {
        app.get(Lifecycle).isStopping = true;
      },
    });
    return url;
  },

  countServices: () => services.size,

  /** Pauses the next call of a method of a class, before or after the call, until `resume`. */
  async pauseNextCall({ file, className, methodName, when }) {
    const { [className]: paused } = await import(`../../dist/src/${file}.js`);
    const { [methodName]: original } = paused.prototype;
    let reach;
    const reached = new Promise((resolve) => (reach = resolve));
    const resumed = new Promise((resolve) => (host.resume = () => resolve()));
    host.untilPaused = () => reached;
    const pause = (at) => {
      if (at !== when) return undefined;
      reach();
      return resumed;
    };
    paused.prototype[methodName] = async function (...parameters) {
      paused.prototype[methodName] = original;
      await pause('before');
      const result = await original.apply(this, parameters);
      await pause('after');
      return result;
    };
  },

  recordCommands,

  recordStatements() {
    const { query } = pg.Client.prototype;
    const sent = [];
    pg.Client.prototype.query = function (...parameters) {
      const [statement, given] = parameters;
      const {
        name,
        text,
        values = [],
      } = typeof statement === 'string' ? { text: statement, values: given } : statement;
      sent.push({ name: name ?? text, values });
      return query.apply(this, parameters);
    };
    host.recordedStatements = () => {
      pg.Client.prototype.query = query;
      return sent;
    };
  },
};

async function recordCommands() {
  const { Redis } = await import('ioredis');
  const { sendCommand } = Redis.prototype;
  const sent = [];
  Redis.prototype.sendCommand = function (...parameters) {
    sent.push(parameters[0].args.join(' '));
    return sendCommand.apply(this, parameters);
  };
  host.recordedCommands = () => {
    Redis.prototype.sendCommand = sendCommand;
    return sent;
  };
}

process.on('message', ({ id, request: { method, url, ...parameters } }) => {
  const reply = (response) => process.send({ id, response: JSON.stringify(response) });
  const carryOut = async () => {
    const asked = url === undefined ? host : services.get(url);
    return asked[method](parameters);
  };
  carryOut().then(
    (value) => reply({ value }),
    ({ name, message, stack }) => reply({ error: { name, message, stack } }),
  );
});
