import { isIP } from 'node:net';
import { HIDDEN_VALUES, type HiddenValues } from '../conditions/rules/index.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const CONDITIONS_SHAPES = ['map', 'list'] as const;
export type ConditionsShape = (typeof CONDITIONS_SHAPES)[number];
/** Whether completion asks that values are there and fit their fields (S4). */
export const COMPLETION_POLICIES = ['lenient', 'strict'] as const;
export type CompletionPolicy = (typeof COMPLETION_POLICIES)[number];

export interface Environment {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  /** Where metrics are served; unset: nothing is measured. */
  readonly metricsPort: number | undefined;
  /** Unset: the embedded database. */
  readonly databaseUrl: string | undefined;
  /** For what a pooler in transaction mode cannot carry; unset: `databaseUrl` leads to the server itself. */
  readonly databaseDirectUrl: string | undefined;
  readonly dataDir: string;
  readonly databasePoolSize: number;
  /** Unset: each instance counts requests for itself. */
  readonly redisUrl: string | undefined;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
  readonly trustProxy: readonly string[];
  readonly corsOrigins: '*' | readonly string[];
  /** Requests a minute from one IP address; 0: no limit. */
  readonly throttleLimit: number;
  /** Requests a minute of one user; 0: no limit. */
  readonly throttleUserLimit: number;
  readonly conditionsShape: ConditionsShape;
  readonly hiddenValues: HiddenValues;
  readonly completionPolicy: CompletionPolicy;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly migrateOnStart: boolean;
  /** Seconds from SIGTERM to the end of the process at most. */
  readonly shutdownTimeout: number;
}

/** A start that cannot go on; the message is one sentence for the operator and is shown without a stack. */
export class StartError extends Error {}

/** Reads and checks the configuration; a bad or missing value is a {@link StartError} that names the variable. */
export function readEnvironment(variables: NodeJS.ProcessEnv): Environment {
  // An empty variable is what a compose file makes of an unset one.
  const text = (name: string) => variables[name]?.trim() || undefined;

  const refuse = (name: string, expected: string): never => {
    throw new StartError(`${name} must be ${expected}, but is "${text(name) ?? ''}".`);
  };
  const integer = (name: string, fallback: number, min: number, max: number) => {
    const given = text(name) ?? String(fallback);
    const value = Number(given);
    return /^\d+$/.test(given) && value >= min && value <= max
      ? value
      : refuse(name, `a whole number from ${min} to ${max}`);
  };
  const choice = <T extends string>(name: string, fallback: T, choices: readonly T[]): T =>
    choices.find((known) => known === (text(name) ?? fallback)) ??
    refuse(name, `one of ${choices.join(', ')}`);
  const list = (name: string) =>
    (text(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');

  const port = integer('PORT', 3000, 0, 65_535);
  const metricsPort = text('METRICS_PORT') === undefined ? undefined : integer('METRICS_PORT', 0, 0, 65_535);
  if (metricsPort === port && port !== 0) {
    throw new StartError(`METRICS_PORT must differ from PORT, but both are ${port}.`);
  }
  const production = text('NODE_ENV') === 'production';
  const postgresUrl = (name: string) => {
    const url = text(name);
    if (url === undefined || isPostgresUrl(url)) return url;
    // Never quoted: it may hold a password.
    throw new StartError(`${name} must be a URL such as postgres://user:password@host:5432/formtrail.`);
  };
  const databaseUrl = postgresUrl('DATABASE_URL');
  const databaseDirectUrl = postgresUrl('DATABASE_DIRECT_URL');
  if (databaseUrl === undefined && production) {
    throw new StartError(
      'DATABASE_URL must be set with NODE_ENV=production, for example postgres://user:password@host:5432/formtrail.',
    );
  }
  if (databaseUrl === undefined && databaseDirectUrl !== undefined) {
    throw new StartError('DATABASE_DIRECT_URL is only of use beside DATABASE_URL: set both, or neither.');
  }
  const redisUrl = text('REDIS_URL');
  if (redisUrl !== undefined && !isRedisUrl(redisUrl)) {
    // Never quoted either.
    throw new StartError(
      'REDIS_URL must be a URL such as redis://user:password@host:6379/0, or rediss://... for TLS.',
    );
  }
  const publicUrl = text('PUBLIC_URL');
  if (publicUrl !== undefined && !isPlainHttpUrl(publicUrl)) {
    refuse(
      'PUBLIC_URL',
      'an http or https URL without query and fragment, such as https://forms.example.org',
    );
  }
  const trustProxy = list('TRUST_PROXY');
  if (!trustProxy.every(isAddressOrBlock)) {
    refuse('TRUST_PROXY', 'IP addresses or CIDR blocks, separated by commas');
  }
  const corsOrigins = list('CORS_ORIGINS').map((origin) => origin.toLowerCase());
  if (!corsOrigins.every((origin) => origin === '*' || isOrigin(origin))) {
    refuse('CORS_ORIGINS', '* or origins such as https://app.example.org, separated by commas');
  }

  return Object.freeze({
    production,
    port,
    host: text('HOST') ?? (production ? '0.0.0.0' : '127.0.0.1'),
    metricsPort,
    databaseUrl,
    databaseDirectUrl,
    dataDir: text('DATA_DIR') ?? '.data',
    databasePoolSize: integer('DATABASE_POOL_SIZE', 10, 2, 1000),
    redisUrl,
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    trustProxy,
    corsOrigins: corsOrigins.length === 0 || corsOrigins.includes('*') ? '*' : corsOrigins,
    throttleLimit: integer('THROTTLE_LIMIT', 60, 0, 1_000_000_000),
    throttleUserLimit: integer('THROTTLE_USER_LIMIT', 60, 0, 1_000_000_000),
    conditionsShape: choice('CONDITIONS_SHAPE', 'map', CONDITIONS_SHAPES),
    hiddenValues: choice('HIDDEN_VALUES', 'keep', HIDDEN_VALUES),
    completionPolicy: choice('COMPLETION_POLICY', 'lenient', COMPLETION_POLICIES),
    logLevel: choice('LOG_LEVEL', production ? 'info' : 'warn', LOG_LEVELS),
    migrateOnStart:
      choice('MIGRATE_ON_START', databaseUrl === undefined ? 'true' : 'false', ['true', 'false']) === 'true',
    shutdownTimeout: integer('SHUTDOWN_TIMEOUT', 10, 1, 3600),
  });
}

function isPostgresUrl(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}

/** With a number for a path, if any: that of the logical database. */
function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
  return (
    /^rediss?:$/.test(protocol) &&
    hostname !== '' &&
    /^\/?\d{0,9}$/.test(pathname) &&
    search + hash === '' &&
    isDecodable(username + password)
  );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isPlainHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';
}

/** A block of every address there is would trust whatever anybody sends. */
function isAddressOrBlock(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*');
}
