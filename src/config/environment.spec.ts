import path from 'node:path';
import { pathToFileURL } from 'node:url';
import fastify from 'fastify';
import { readEnvironment } from '../../test/support/read-environment.js';
import { StartError } from './start-error.js';

const URL_OF_DATABASE = 'postgres://formtrail:secret@db.example.org:5432/formtrail';
const production = (variables: Record<string, string> = {}) =>
  readEnvironment({ NODE_ENV: 'production', DATABASE_URL: URL_OF_DATABASE, ...variables });

function errorOf(variables: NodeJS.ProcessEnv): string {
  try {
    readEnvironment(variables);
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  throw new Error('The configuration was accepted.');
}

describe('the configuration without any variable', () => {
  it('is for development with the embedded database', () => {
    expect(readEnvironment({})).toEqual({
      production: false,
      port: 3000,
      host: '127.0.0.1',
      metricsPort: undefined,
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      dataDir: '.data',
      databasePoolSize: 10,
      redisUrl: undefined,
      publicUrl: undefined,
      trustProxy: [],
      corsOrigins: '*',
      throttleLimit: 60,
      throttleUserLimit: 60,
      userStorage: { files: 2 ** 30, values: 2 ** 26 },
      jwtIssuers: [],
      conditionsShape: 'map',
      hiddenValues: 'keep',
      completionPolicy: 'lenient',
      filesUrl: pathToFileURL(path.resolve('.data/files')).href,
      clamdUrl: undefined,
      logLevel: 'warn',
      webhooks: 'inline',
      webhookKey: undefined,
      respondentTtl: 30,
      respondentLimit: 60,
      challengeKey: undefined,
      retention: 'off',
      keepErasuresDays: 400,
      webhookAllow: [],
      migrateOnStart: true,
      migrateLockTimeout: 500,
      shutdownTimeout: 10,
    });
  });

  it('in production listens on every address, logs more and does not migrate', () => {
    const changes = {
      production: true,
      host: '0.0.0.0',
      databaseUrl: URL_OF_DATABASE,
      filesUrl: undefined,
      logLevel: 'info',
      webhooks: 'off',
      migrateOnStart: false,
    };
    expect(production()).toEqual(Object.assign({}, readEnvironment({}), changes));
  });

  it('stores files only with the embedded database, and migrates only this one', () => {
    expect(readEnvironment({ DATABASE_URL: URL_OF_DATABASE })).toMatchObject({
      filesUrl: undefined,
      migrateOnStart: false,
    });
  });

  it('cannot be changed afterwards', () => {
    const environment = readEnvironment({}) as { port: number };
    expect(() => {
      environment.port = 1;
    }).toThrow(TypeError);
  });

  it.each(['', ' ', '\t'])(
    'treats a variable that is %j as unset, because Docker Compose passes unset variables as empty',
    (empty) => {
      const names =
        'DATABASE_URL DATABASE_DIRECT_URL DATABASE_POOL_SIZE DATA_DIR DATABASE_PORT REDIS_URL PORT METRICS_PORT HOST PUBLIC_URL ' +
        'TRUST_PROXY CORS_ORIGINS THROTTLE_LIMIT THROTTLE_USER_LIMIT USER_STORAGE JWT_ISSUERS CONDITIONS_SHAPE HIDDEN_VALUES COMPLETION_POLICY ' +
        'SHUTDOWN_TIMEOUT FILES_URL CLAMD_URL LOG_LEVEL MIGRATE_ON_START MIGRATE_LOCK_TIMEOUT NODE_ENV';
      const variables = Object.fromEntries(names.split(' ').map((name) => [name, empty]));
      expect(readEnvironment(variables)).toEqual(readEnvironment({}));
    },
  );
});

describe('a variable that is set', () => {
  it.each<[string, string, object]>([
    ['PORT', '0', { port: 0 }],
    ['PORT', ' 8080 ', { port: 8080 }],
    ['PORT', '65535', { port: 65_535 }],
    ['METRICS_PORT', '0', { metricsPort: 0 }],
    ['METRICS_PORT', '9464', { metricsPort: 9_464 }],
    ['HOST', '::', { host: '::' }],
    ['HOST', 'localhost', { host: 'localhost' }],
    ['DATABASE_PORT', '5433', { databasePort: 5_433 }],
    ['DATABASE_POOL_SIZE', '2', { databasePoolSize: 2 }],
    ['DATABASE_POOL_SIZE', '1000', { databasePoolSize: 1_000 }],
    ['PUBLIC_URL', 'https://forms.example.org', { publicUrl: 'https://forms.example.org' }],
    ['PUBLIC_URL', 'https://example.org/forms//', { publicUrl: 'https://example.org/forms' }],
    ['PUBLIC_URL', 'http://localhost:8080/', { publicUrl: 'http://localhost:8080' }],
    ['TRUST_PROXY', '127.0.0.1', { trustProxy: ['127.0.0.1'] }],
    ['TRUST_PROXY', '10.0.0.0/8, ::1 ,fd00::/8,', { trustProxy: ['10.0.0.0/8', '::1', 'fd00::/8'] }],
    ['CORS_ORIGINS', '*', { corsOrigins: '*' }],
    ['CORS_ORIGINS', 'https://a.example.org, *', { corsOrigins: '*' }],
    // A browser sends the origin in lower case (RFC 6454, section 6.2).
    ['CORS_ORIGINS', 'HTTPS://A.org, http://b:51', { corsOrigins: ['https://a.org', 'http://b:51'] }],
    ['THROTTLE_LIMIT', '0', { throttleLimit: 0 }],
    ['THROTTLE_LIMIT', '600', { throttleLimit: 600, throttleUserLimit: 60 }],
    ['THROTTLE_USER_LIMIT', '0', { throttleUserLimit: 0 }],
    ['THROTTLE_USER_LIMIT', '1000000000', { throttleUserLimit: 1_000_000_000, throttleLimit: 60 }],
    ['USER_STORAGE', '0,1', { userStorage: { files: 0, values: 2 ** 20 } }],
    ['CONDITIONS_SHAPE', 'list', { conditionsShape: 'list' }],
    ['HIDDEN_VALUES', 'ignore', { hiddenValues: 'ignore' }],
    ['COMPLETION_POLICY', 'strict', { completionPolicy: 'strict' }],
    ['DATA_DIR', '/srv/formtrail', { dataDir: '/srv/formtrail', filesUrl: 'file:///srv/formtrail/files' }],
    ['FILES_URL', 'none', { filesUrl: undefined }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['LOG_LEVEL', 'trace', { logLevel: 'trace' }],
    ['MIGRATE_ON_START', 'false', { migrateOnStart: false }],
    ['MIGRATE_LOCK_TIMEOUT', '5000', { migrateLockTimeout: 5_000 }],
    ['SHUTDOWN_TIMEOUT', '1', { shutdownTimeout: 1 }],
    ['SHUTDOWN_TIMEOUT', '3600', { shutdownTimeout: 3_600 }],
    ['NODE_ENV', 'test', { production: false }],
  ])('%s=%s', (name, value, expected) => {
    expect(readEnvironment({ [name]: value })).toMatchObject(expected);
  });

  it.each([
    ['DATABASE_URL', 'databaseUrl', 'postgresql:///formtrail'],
    ['DATABASE_URL', 'databaseUrl', 'postgres://u@%2Ftmp/db'],
    ['DATABASE_DIRECT_URL', 'databaseDirectUrl', URL_OF_DATABASE.replace('5432', '5433')],
    ['REDIS_URL', 'redisUrl', 'redis://localhost'],
    ['REDIS_URL', 'redisUrl', 'rediss://u:p%40ss@redis.example.org:6380/3'],
    ['REDIS_URL', 'redisUrl', 'redis://:secret@[::1]:6379/'],
    ['FILES_URL', 'filesUrl', 's3://formtrail-files/eu/1'],
    ['FILES_URL', 'filesUrl', 'file:///var/lib/formtrail'],
    ['CLAMD_URL', 'clamdUrl', 'tcp://[::1]:3310'],
    ['CLAMD_URL', 'clamdUrl', 'unix:///run/clamav/clamd.ctl'],
  ])('%s gives %s the URL %s', (name, property, url) => {
    expect(production({ FILES_URL: 's3://formtrail-files', [name]: url })).toMatchObject({ [property]: url });
  });

  it('MIGRATE_ON_START=true migrates the database of DATABASE_URL, even in production', () => {
    expect(production({ MIGRATE_ON_START: 'true' }).migrateOnStart).toBe(true);
  });
});

describe('an invalid variable stops the start with a sentence that names it', () => {
  const integer = (name: string, min: number, max: number) =>
    [max + 1, min - 1, '1.5', '1e2', '0x10', 'ten', '3000 4000', '\u0663', 'NaN', 'Infinity'].map(
      (value) => [name, String(value), `a whole number from ${min} to ${max}`] as const,
    );
  /** Rows with each of these values, which are separated by spaces. */
  const each = (name: string, expected: string, values: string, ...withSpaces: string[]) =>
    [...values.split(' '), ...withSpaces].map((value) => [name, value, expected] as const);

  it.each([
    ...integer('PORT', 0, 65_535),
    ...integer('METRICS_PORT', 0, 65_535),
    ...integer('DATABASE_POOL_SIZE', 2, 1_000),
    ...integer('MIGRATE_LOCK_TIMEOUT', 1, 600_000),
    ...integer('SHUTDOWN_TIMEOUT', 1, 3_600),
    ...integer('THROTTLE_LIMIT', 0, 1_000_000_000),
    ...integer('THROTTLE_USER_LIMIT', 0, 1_000_000_000),
    ...each(
      'USER_STORAGE',
      'MiB of files and of values, such as 1024,64',
      '1024 1024, 1024,64,1 1GiB,64MiB -1,64 1.5,64',
    ),
    ...each('CONDITIONS_SHAPE', 'one of map, list', 'MAP array A map,list'),
    ...each('HIDDEN_VALUES', 'one of keep, ignore', 'KEEP drop true'),
    ...each('COMPLETION_POLICY', 'one of lenient, strict', 'STRICT none true'),
    ...each('LOG_LEVEL', 'one of trace, debug, info, warn, error, fatal, silent', 'verbose INFO 1'),
    ...each('MIGRATE_ON_START', 'one of true, false', 'yes 1 TRUE on'),
    ...each(
      'FILES_URL',
      'a URL such as file:///var/lib/formtrail/files or s3://bucket/prefix, or none',
      '/var/lib/formtrail file://host/folder file:/// file:relative file:///a%2Fb file:///a%00b s3:// s3://Bucket_ ' +
        's3://bucket/?region=x https://bucket.s3.amazonaws.com',
    ),
    ...each(
      'CLAMD_URL',
      'a URL such as tcp://clamd:3310 or unix:///run/clamav/clamd.ctl',
      'clamd:3310 tcp://clamd tcp://clamd:0 unix:///a%00b unix:// http://clamd:3310',
    ),
    ...each(
      'PUBLIC_URL',
      'an http or https URL without user name, password, query or fragment, such as https://forms.example.org',
      'example.org /forms ftp://example.org https:// https://example.org/?a=b https://example.org/#top https://example.org/# ' +
        'https:example.org https:\\\\example.org https://name@example.org https://:password@example.org javascript:alert(1)',
      'https://example.org/a b',
    ),
    // Other programs accept a number of hops in TRUST_PROXY. Fastify would parse 1 as the address 0.0.0.1, 10/8 as 0.0.0.10/8,
    // and 10.1 as 10.0.0.1.
    ...each(
      'TRUST_PROXY',
      'IP addresses or CIDR blocks (not 0.0.0.0/0 or ::/0), separated by commas',
      'true 0.0.0.0/0 ::/0 loopback proxy.example.org 10.0.0.0/33 10.0.0.0/ 300.1.1.1 1 10/8 10.1',
      '127.0.0.1, nonsense',
    ),
    ...each(
      'CORS_ORIGINS',
      '* or origins such as https://app.example.org, separated by commas',
      'app.example.org https://app.example.org/ https://*.example.org null https://user@app.example.org',
      'https://a.example.org https://b.example.org',
    ),
  ])('%s=%s', (name, value, expected) => {
    expect(errorOf({ [name]: value })).toBe(`${name} must be ${expected}, but is "${value}".`);
  });

  it.each<[NodeJS.ProcessEnv, string]>([
    [{ METRICS_PORT: '3000' }, 'METRICS_PORT must differ from PORT, but both are 3000.'],
    ...[undefined, '', ' '].map((DATABASE_URL): [NodeJS.ProcessEnv, string] => [
      { NODE_ENV: 'production', DATABASE_URL },
      'DATABASE_URL must be set with NODE_ENV=production, for example postgres://user:password@host:5432/formtrail.',
    ]),
    [
      { DATABASE_URL: URL_OF_DATABASE, CLAMD_URL: 'tcp://clamd:3310' },
      'CLAMD_URL has no effect without FILES_URL: set both, or neither.',
    ],
    [
      { DATABASE_URL: URL_OF_DATABASE, WEBHOOKS: 'inline' },
      'WEBHOOK_KEY must be set with WEBHOOKS=inline. "openssl rand -base64 32" prints one.',
    ],
    [
      { DATABASE_DIRECT_URL: URL_OF_DATABASE },
      'DATABASE_DIRECT_URL has no effect without DATABASE_URL: set both, or neither.',
    ],
    [
      { DATABASE_URL: URL_OF_DATABASE, DATABASE_PORT: '5433' },
      'DATABASE_PORT belongs to the embedded database, not to DATABASE_URL: unset one of them.',
    ],
  ])('%j does not fit together', (variables, sentence) => {
    expect(errorOf(variables)).toBe(sentence);
  });

  it('METRICS_PORT and PORT may both be 0', () => {
    expect(readEnvironment({ PORT: '0', METRICS_PORT: '0' })).toMatchObject({ port: 0, metricsPort: 0 });
  });

  const DATABASE = 'a URL such as postgres://user:password@host:5432/formtrail';
  const REDIS = 'a URL such as redis://user:password@host:6379/0, or rediss://... for TLS';
  it.each([
    ...each('DATABASE_DIRECT_URL', DATABASE, 'mysql://user:hunter2@host/formtrail'),
    ...each(
      'DATABASE_URL',
      DATABASE,
      'mysql://user:hunter2@host/formtrail user:hunter2@host/formtrail postgres//user:hunter2@host/formtrail ' +
        'postgres://user:hunter2@host:port/formtrail postgres://user:hunter2@host:99999/formtrail ' +
        'postgres://user:hunter2#x@host/formtrail',
      'host=localhost password=hunter2',
    ),
    ...each(
      'REDIS_URL',
      REDIS,
      'redis.example.org:6379 http://:hunter2@host:6379 unix:///var/run/redis.sock redis:// redis:///0 ' +
        'redis://:hunter2@host:port redis://:hunter2@host:99999 redis://:hunter2@host/cache redis://:hunter2@host/0/1 ' +
        'redis://:hunter2@host/-1 redis://:hunter2@host?db=1 redis://:hunter2#x@host redis://:hunter2%@host',
    ),
  ])('%s=%s, without quoting the password', (name, url, expected) => {
    expect(errorOf({ [name]: url })).toBe(`${name} must be ${expected}.`);
  });

  it('does not quote DATABASE_URL when another variable is invalid', () => {
    expect(errorOf({ DATABASE_URL: URL_OF_DATABASE, PORT: 'x' })).toMatch(/^PORT must be [^\n]+"x"\.$/);
  });
});

describe('several invalid variables', () => {
  it('are all named, one sentence per line, including a rule about two variables', () => {
    const variables = {
      NODE_ENV: 'production',
      PORT: 'http',
      REDIS_URL: 'redis://:hunter2@host:port',
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'loud',
    };
    expect(errorOf(variables).split('\n')).toEqual([
      'PORT must be a whole number from 0 to 65535, but is "http".',
      'REDIS_URL must be a URL such as redis://user:password@host:6379/0, or rediss://... for TLS.',
      'TRUST_PROXY must be IP addresses or CIDR blocks (not 0.0.0.0/0 or ::/0), separated by commas, but is "loopback".',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but is "loud".',
      'DATABASE_URL must be set with NODE_ENV=production, for example postgres://user:password@host:5432/formtrail.',
    ]);
  });

  it('are quoted as they were set, without surrounding white space', () => {
    const odd = ' $& $$ \t%s ';
    expect(errorOf({ PORT: odd })).toBe(
      `PORT must be a whole number from 0 to 65535, but is "${odd.trim()}".`,
    );
    expect(errorOf({ CORS_ORIGINS: '*, App ,' })).toContain('but is "*, App ,".');
  });
});

describe('an unknown variable', () => {
  function warnings(variables: NodeJS.ProcessEnv): string[] {
    const sentences: string[] = [];
    readEnvironment(variables, (sentence) => sentences.push(sentence));
    return sentences;
  }

  it.each([
    ['COMPLETION_POLICI', 'COMPLETION_POLICY'],
    ['THROTLE_LIMIT', 'THROTTLE_LIMIT'],
    ['PROT', 'PORT'],
    ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['NODE_ENVV', 'NODE_ENV'],
    ['REDIS_URI', 'REDIS_URL'],
    ['WEBHOOKS_KEY', 'WEBHOOK_KEY'],
    ['WEBHOOK', 'WEBHOOKS'],
  ])('%s logs a warning, and the start continues', (name, meant) => {
    expect(warnings({ [name]: 'x' })).toEqual([`Warning: unknown variable ${name}. Did you mean ${meant}?`]);
  });

  it('logs a warning, even if another variable stops the start', () => {
    const sentences: string[] = [];
    const variables = { NODE_ENV: 'production', DATABSE_URL: URL_OF_DATABASE };
    expect(() => readEnvironment(variables, (sentence) => sentences.push(sentence))).toThrow(
      /^DATABASE_URL must be set/,
    );
    expect(sentences).toEqual(['Warning: unknown variable DATABSE_URL. Did you mean DATABASE_URL?']);
  });

  it('logs no warning if another program uses it', () => {
    const others =
      'PATH HOME HOSTNAME PGHOST PGPORT PGDATABASE PGDATA PORTS POST TERM TZ CI XDG_DATA_DIRS NODE_OPTIONS NODE_PATH ' +
      'NODE_VERSION HTTP_PROXY NO_PROXY npm_config_loglevel DATABASE_HOST DATABASE_NAME REDIS_HOST REDIS_PORT ' +
      'REDIS_SERVICE_HOST FORMTRAIL_PORT OTEL_LOG_LEVEL OTEL_SDK_DISABLED LD_LIBRARY_PATH SHELL USER LANG';
    expect(warnings(Object.fromEntries(others.split(' ').map((name) => [name, 'x'])))).toEqual([]);
  });
});

it.each(['127.0.0.1', '::1', '10.0.0.0/8', 'fd00::/8', '::ffff:10.0.0.1', '::ffff:10.0.0.0/104'])(
  'E7: Fastify accepts the entry %s of TRUST_PROXY',
  async (entry) => {
    const { trustProxy } = readEnvironment({ TRUST_PROXY: entry });
    await fastify({ trustProxy: [...trustProxy] }).close();
  },
);
