import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { HIDDEN_VALUES, type HiddenValues } from '../conditions/engine/index.js';
import {
  isAddressOrBlock,
  isClamdUrl,
  isFilesUrl,
  isKey,
  isOriginOrAny,
  isPlainHttpUrl,
  isPostgresUrl,
  isRedisUrl,
  isUserStorage,
  type StorageLimits,
  userStorageOf,
} from './formats.js';
import { type JwtIssuer, jwtIssuersErrors, jwtIssuersOf } from '../capabilities/identities/jwt-issuers.js';
import { misspeltVariables } from './misspelt-variables.js';
import { StartError } from './start-error.js';
import {
  entriesOf,
  HasNone,
  ListOf,
  MustBe,
  OneOf,
  Variable,
  VARIABLES,
  WholeNumber,
} from './variable.decorators.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const CONDITIONS_SHAPES = ['map', 'list'] as const;
export type ConditionsShape = (typeof CONDITIONS_SHAPES)[number];
/** With `strict`, completion validates the values of the submission (S4). */
export const COMPLETION_POLICIES = ['lenient', 'strict'] as const;
export type CompletionPolicy = (typeof COMPLETION_POLICIES)[number];

const POSTGRES_URL = 'postgres://user:password@host:5432/formtrail';
const REDIS_URL = 'a URL such as redis://user:password@host:6379/0, or rediss://... for TLS';
const FILES_URL = 'a URL such as file:///var/lib/formtrail/files or s3://bucket/prefix, or none';
const CLAMD_URL = 'a URL such as tcp://clamd:3310 or unix:///run/clamav/clamd.ctl';
const KEY = '32 random bytes in base64, as "openssl rand -base64 32" prints them';
const HTTP_URL =
  'an http or https URL without user name, password, query or fragment, such as https://forms.example.org';

/** The configuration. Each property declares its environment variable, its valid values, and its default for development. */
export class Environment {
  @Variable('NODE_ENV', (text) => text === 'production')
  readonly production: boolean = false;

  @Variable('PORT', Number)
  @WholeNumber(0, 65_535)
  readonly port: number = 3000;

  @Variable('HOST')
  readonly host: string = '127.0.0.1';

  /** The port that serves metrics. Unset: the service measures nothing. */
  @Variable('METRICS_PORT', Number)
  @WholeNumber(0, 65_535)
  readonly metricsPort: number | undefined;

  /** Unset: the service starts the embedded database. */
  @Variable('DATABASE_URL')
  @MustBe(`a URL such as ${POSTGRES_URL}`, isPostgresUrl, { secret: true })
  readonly databaseUrl: string | undefined;

  /**
   * The URL of the database without a pooler, for features that a pooler in transaction mode lacks. Unset: `databaseUrl` has no
   * pooler.
   */
  @Variable('DATABASE_DIRECT_URL')
  @MustBe(`a URL such as ${POSTGRES_URL}`, isPostgresUrl, { secret: true })
  readonly databaseDirectUrl: string | undefined;

  @Variable('DATA_DIR')
  readonly dataDir: string = '.data';

  /**
   * The port of the embedded database on the loopback interface. 0: any free port. Unset: the database listens only on
   * its socket.
   */
  @Variable('DATABASE_PORT', Number)
  @WholeNumber(0, 65_535)
  readonly databasePort: number | undefined;

  @Variable('DATABASE_POOL_SIZE', Number)
  @WholeNumber(2, 1000)
  readonly databasePoolSize: number = 10;

  /** The Redis server in which all instances count requests. Unset: each instance counts its own requests. */
  @Variable('REDIS_URL')
  @MustBe(REDIS_URL, isRedisUrl, { secret: true })
  readonly redisUrl: string | undefined;

  /** The URL at which clients reach the service, without a trailing slash. */
  @Variable('PUBLIC_URL', (text) => text.replace(/\/+$/, ''))
  @MustBe(HTTP_URL, isPlainHttpUrl)
  readonly publicUrl: string | undefined;

  @Variable('TRUST_PROXY', entriesOf)
  @ListOf('IP addresses or CIDR blocks other than all addresses', isAddressOrBlock)
  readonly trustProxy: readonly string[] = [];

  @Variable('CORS_ORIGINS', corsOriginsOf)
  @ListOf('* or origins such as https://app.example.org', isOriginOrAny)
  readonly corsOrigins: '*' | readonly string[] = '*';

  /** Maximum number of requests per minute from one IP address without a valid token. 0: no limit. */
  @Variable('THROTTLE_LIMIT', Number)
  @WholeNumber(0, 1_000_000_000)
  readonly throttleLimit: number = 60;

  /** Maximum number of requests per minute of one user. 0: no limit. */
  @Variable('THROTTLE_USER_LIMIT', Number)
  @WholeNumber(0, 1_000_000_000)
  readonly throttleUserLimit: number = 60;

  /** Days after its last use when the token of a respondent expires (P4). */
  @Variable('RESPONDENT_TTL', Number)
  @WholeNumber(1, 180)
  readonly respondentTtl: number = 30;

  /** Maximum number of respondents per hour from one IP address (P6). 0: no limit. */
  @Variable('RESPONDENT_LIMIT', Number)
  @WholeNumber(0, 1_000_000_000)
  readonly respondentLimit: number = 60;

  /**
   * The key that signs the challenges of proofs of work (P7). Unset: with the embedded database, the service uses a
   * generated key in a file.
   */
  @Variable('CHALLENGE_KEY')
  @MustBe(KEY, isKey, { secret: true })
  readonly challengeKey: string | undefined;

  /** Maximum bytes that one user may store in files and in values. 0: no limit. */
  @Variable('USER_STORAGE', userStorageOf)
  @MustBe('MiB of files and of values, such as 1024,64', isUserStorage)
  readonly userStorage: StorageLimits = userStorageOf('1024,64');

  /** The identity providers whose JSON web tokens are accepted. Empty: none (A7). */
  @Variable('JWT_ISSUERS', jwtIssuersOf)
  @HasNone(jwtIssuersErrors)
  readonly jwtIssuers: readonly JwtIssuer[] = [];

  @Variable('CONDITIONS_SHAPE')
  @OneOf(CONDITIONS_SHAPES)
  readonly conditionsShape: ConditionsShape = 'map';

  @Variable('HIDDEN_VALUES')
  @OneOf(HIDDEN_VALUES)
  readonly hiddenValues: HiddenValues = 'keep';

  @Variable('COMPLETION_POLICY')
  @OneOf(COMPLETION_POLICIES)
  readonly completionPolicy: CompletionPolicy = 'lenient';

  /**
   * Where the contents of files are stored. If unset, they are stored in `DATA_DIR`, next to the embedded database. Without an embedded
   * database, no files are stored, and the values of file fields may be any text (U1).
   */
  @Variable('FILES_URL', (text) => (text === 'none' ? undefined : text))
  @MustBe(FILES_URL, (text) => text === 'none' || isFilesUrl(text))
  readonly filesUrl: string | undefined;

  /** The address of the virus scanner clamd. Unset: files are not scanned (U6). */
  @Variable('CLAMD_URL')
  @MustBe(CLAMD_URL, isClamdUrl)
  readonly clamdUrl: string | undefined;

  @Variable('LOG_LEVEL')
  @OneOf(LOG_LEVELS)
  readonly logLevel: (typeof LOG_LEVELS)[number] = 'warn';

  /** Whether the server delivers webhooks. Unset: only with the embedded database. */
  @Variable('WEBHOOKS')
  @OneOf(['inline', 'off'])
  readonly webhooks: 'inline' | 'off' = 'off';

  /**
   * The key that encrypts the secrets of webhooks. Unset: with the embedded database, the service uses a generated key in a file.
   */
  @Variable('WEBHOOK_KEY')
  @MustBe(KEY, isKey, { secret: true })
  readonly webhookKey: string | undefined;

  /** Addresses outside the public internet that webhooks may be sent to (W5). */
  @Variable('WEBHOOK_ALLOW', entriesOf)
  @ListOf('IP addresses or CIDR blocks', isAddressOrBlock)
  readonly webhookAllow: readonly string[] = [];

  /** Whether the service migrates the database when it starts. Unset: it migrates only the embedded database. */
  @Variable('MIGRATE_ON_START', (text) => text === 'true')
  @OneOf(['true', 'false'])
  readonly migrateOnStart: boolean = true;

  /** Milliseconds that a migration waits for a lock before it is retried. */
  @Variable('MIGRATE_LOCK_TIMEOUT', Number)
  @WholeNumber(1, 600_000)
  readonly migrateLockTimeout: number = 500;

  /** Seconds that the process may take to end after SIGTERM. */
  @Variable('SHUTDOWN_TIMEOUT', Number)
  @WholeNumber(1, 3600)
  readonly shutdownTimeout: number = 10;
}

/**
 * Reads and validates the configuration. Calls `warn` for each variable whose name seems to be misspelt.
 *
 * @throws StartError with one sentence for each variable that is invalid or missing
 */
export function readEnvironment(
  variables: NodeJS.ProcessEnv,
  warn: (sentence: string) => void = () => undefined,
): Environment {
  for (const sentence of misspeltVariables(Object.keys(variables), [...VARIABLES.values()])) warn(sentence);

  // Treats an empty text as unset, because Docker Compose passes an unset variable as an empty text.
  const texts: Texts = Object.fromEntries(
    [...VARIABLES].map(([property, name]) => [property, variables[name]?.trim() || undefined]),
  );
  if (texts.production === 'production') {
    texts.host ??= '0.0.0.0';
    texts.logLevel ??= 'info';
  }
  texts.migrateOnStart ??= String(texts.databaseUrl === undefined);
  if (texts.databaseUrl === undefined) {
    texts.filesUrl ??= pathToFileURL(path.resolve(texts.dataDir ?? new Environment().dataDir, 'files')).href;
    texts.webhooks ??= 'inline';
  }

  // Validates the texts, not the values, so that a message quotes an invalid text as the operator wrote it.
  const errors = validateSync(Object.assign(Object.create(Environment.prototype) as object, texts), {
    skipUndefinedProperties: true,
  });
  const environment = plainToInstance(Environment, texts, { exposeDefaultValues: true });
  const sentences = [
    ...errors.flatMap(({ constraints = {} }) => Object.values(constraints)),
    ...contradictions(environment, new Set(errors.map(({ property }) => property))),
  ];
  if (sentences.length > 0) throw new StartError(sentences.join('\n'));
  return Object.freeze(environment);
}

type Texts = { -readonly [property in keyof Environment]?: string | undefined };

/** Returns one sentence for each invalid combination of variables that are valid on their own. */
function contradictions(environment: Environment, invalid: ReadonlySet<string>): string[] {
  const { production, port, metricsPort, databaseUrl, filesUrl } = environment;
  const isSet = (property: keyof Environment) =>
    environment[property] !== undefined && !invalid.has(property);
  const sentences: string[] = [];
  if (isSet('metricsPort') && metricsPort === port && port !== 0)
    sentences.push(`METRICS_PORT must differ from PORT, but both are ${port}.`);
  if (databaseUrl === undefined && production)
    sentences.push(`DATABASE_URL must be set with NODE_ENV=production, for example ${POSTGRES_URL}.`);
  else if (databaseUrl === undefined && isSet('databaseDirectUrl'))
    sentences.push('DATABASE_DIRECT_URL has no effect without DATABASE_URL: set both, or neither.');
  const { webhooks, webhookKey } = environment;
  const isWithoutKey = webhookKey === undefined && !invalid.has('webhookKey');
  if (databaseUrl !== undefined && webhooks === 'inline' && isWithoutKey)
    sentences.push('WEBHOOK_KEY must be set with WEBHOOKS=inline. "openssl rand -base64 32" prints one.');
  if (databaseUrl !== undefined && isSet('databasePort'))
    sentences.push('DATABASE_PORT belongs to the embedded database, not to DATABASE_URL: unset one of them.');
  if (filesUrl === undefined && isSet('clamdUrl'))
    sentences.push('CLAMD_URL has no effect without FILES_URL: set both, or neither.');
  return sentences;
}

function corsOriginsOf(text: string): '*' | string[] {
  const origins = entriesOf(text.toLowerCase());
  return origins.length === 0 || origins.includes('*') ? '*' : origins;
}
