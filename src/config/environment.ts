import { HIDDEN_VALUES, type HiddenValues } from '../conditions/engine/index.js';
import {
  isAddressOrBlock,
  isOriginOrAny,
  isPlainHttpUrl,
  isPostgresUrl,
  isRedisUrl,
  isUserStorage,
  type StorageLimits,
  userStorageOf,
} from './formats.js';
import { entriesOf, ListOf, MustBe, OneOf, Variable, WholeNumber } from './variable.decorators.js';

/** The texts of the environment variables, by name. Undefined: unset or empty. */
export type Texts = Record<string, string | undefined>;

/**
 * Returns one sentence for each invalid combination of variables that are valid on their own. `isSet` tells whether a variable is set
 * and valid, and `isInvalid` whether it is invalid.
 */
export type Contradictions = (
  environment: Environment,
  isSet: (name: string) => boolean,
  isInvalid: (name: string) => boolean,
) => string[];

/** A class whose properties are read from environment variables: see `variable.decorators.ts`. */
export interface SettingsClass {
  new (): object;
  readonly prototype: object;
  /** Sets the texts of unset variables whose defaults depend on other variables. */
  complete?(texts: Texts): void;
  readonly contradictions?: Contradictions;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const CONDITIONS_SHAPES = ['map', 'list'] as const;
export type ConditionsShape = (typeof CONDITIONS_SHAPES)[number];
/** With `strict`, completion validates the values of the submission (S4). */
export const COMPLETION_POLICIES = ['lenient', 'strict'] as const;
export type CompletionPolicy = (typeof COMPLETION_POLICIES)[number];

const POSTGRES_URL = 'postgres://user:password@host:5432/formtrail';
const REDIS_URL = 'a URL such as redis://user:password@host:6379/0, or rediss://... for TLS';
const HTTP_URL =
  'an http or https URL without user name, password, query or fragment, such as https://forms.example.org';

/**
 * The configuration. Each property declares its environment variable, its valid values, and its default for development. Capabilities
 * add their own settings to the same object: see {@link Environment.of}.
 */
export class Environment {
  @Variable('NODE_ENV', (text) => text === 'production')
  readonly production: boolean = false;

  @Variable('PORT', Number)
  @WholeNumber(0, 65_535)
  readonly port: number = 3000;

  @Variable('HOST')
  readonly host: string = '127.0.0.1';

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
  @ListOf('IP addresses or CIDR blocks (not 0.0.0.0/0 or ::/0)', isAddressOrBlock)
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

  /** Maximum bytes that one user may store in files and in values. 0: no limit. */
  @Variable('USER_STORAGE', userStorageOf)
  @MustBe('MiB of files and of values, such as 1024,64', isUserStorage)
  readonly userStorage: StorageLimits = userStorageOf('1024,64');

  @Variable('CONDITIONS_SHAPE')
  @OneOf(CONDITIONS_SHAPES)
  readonly conditionsShape: ConditionsShape = 'map';

  @Variable('HIDDEN_VALUES')
  @OneOf(HIDDEN_VALUES)
  readonly hiddenValues: HiddenValues = 'keep';

  @Variable('COMPLETION_POLICY')
  @OneOf(COMPLETION_POLICIES)
  readonly completionPolicy: CompletionPolicy = 'lenient';

  @Variable('LOG_LEVEL')
  @OneOf(LOG_LEVELS)
  readonly logLevel: (typeof LOG_LEVELS)[number] = 'warn';

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

  /** The environment, with the settings of a capability. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The caller names the class of the settings.
  of<Settings extends object>(): this & Settings {
    return this as this & Settings;
  }

  static complete(texts: Texts): void {
    if (texts['NODE_ENV'] === 'production') {
      texts['HOST'] ??= '0.0.0.0';
      texts['LOG_LEVEL'] ??= 'info';
    }
    texts['MIGRATE_ON_START'] ??= String(texts['DATABASE_URL'] === undefined);
  }

  static contradictions: Contradictions = ({ production, databaseUrl }, isSet) => {
    const sentences: string[] = [];
    if (databaseUrl === undefined && production)
      sentences.push(`DATABASE_URL must be set with NODE_ENV=production, for example ${POSTGRES_URL}.`);
    else if (databaseUrl === undefined && isSet('DATABASE_DIRECT_URL'))
      sentences.push('DATABASE_DIRECT_URL has no effect without DATABASE_URL: set both, or neither.');
    if (databaseUrl !== undefined && isSet('DATABASE_PORT'))
      sentences.push(
        'DATABASE_PORT belongs to the embedded database, not to DATABASE_URL: unset one of them.',
      );
    return sentences;
  };
}

function corsOriginsOf(text: string): '*' | string[] {
  const origins = entriesOf(text.toLowerCase());
  return origins.length === 0 || origins.includes('*') ? '*' : origins;
}
