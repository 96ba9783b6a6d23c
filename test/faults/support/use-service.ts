import { issueToken, User } from '../../../src/entities.js';
import { build, type BuiltService, killBuilt, runListening } from '../../support/built-service.js';
import { client, type Client } from '../../support/client.js';
import { Load } from './load.js';
import { type BuiltForm, buildForm } from '../../support/forms.js';
import { testDatabase, type TestDatabase } from '../../support/test-database.js';

export interface Use {
  readonly database: TestDatabase;
  readonly built: BuiltForm;
  /** The token of the only user. */
  readonly plainToken: string;
}

export type RunningService = BuiltService & { readonly url: string; readonly own: Client };

/** Provides a test file with the build, a database (default: on the run's server), a form, and a user with a token. */
export function useFaults(openDatabase: () => Promise<TestDatabase> = testDatabase): Use {
  const use = {} as { -readonly [Key in keyof Use]: Use[Key] };
  beforeAll(async () => {
    await build();
    use.database = await openDatabase();
    const { dataSource } = use.database;
    use.built = await buildForm(dataSource, { steps: [{ name: {} }, { note: {} }] });
    const user = await dataSource.manager.save(dataSource.manager.create(User, { email: 'ada@example.org' }));
    ({ plainToken: use.plainToken } = await issueToken(dataSource.manager, { userId: user.id }));
  });
  afterEach(async () => {
    Load.stopAll();
    await killBuilt();
  });
  afterAll(() => use.database.close());
  return use;
}

/** Starts a process of the service on the database of `use`. The process is killed after the test if it still runs. */
export async function startOn(use: Use, variables: Record<string, string> = {}): Promise<RunningService> {
  const service = await runListening({ DATABASE_URL: use.database.url, ...variables });
  return Object.assign(service, {
    own: client(service.url, { Authorization: `Bearer ${use.plainToken}` }),
  });
}

/** Reads a value of the metrics. The service must run with `METRICS_PORT: '0'` and `LOG_LEVEL: 'info'`. */
export async function metric({ stdout }: RunningService, series: string): Promise<number> {
  const line = /^.*"metricsUrl".*$/m.exec(stdout)?.[0] ?? '';
  const { metricsUrl } = JSON.parse(line) as { metricsUrl: string };
  const lines = (await (await fetch(metricsUrl)).text()).split('\n');
  return Number(lines.find((one) => one.startsWith(`${series} `))?.slice(series.length + 1));
}

/** Creates drafts and returns their paths. */
export async function newDrafts(
  { built }: Pick<Use, 'built'>,
  { own }: RunningService,
  count: number,
): Promise<string[]> {
  const paths: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const { status, body } = await own.post('/api/v1/submissions', { form_uuid: built.form.uuid });
    expect(status).toBe(201);
    paths.push(`/api/v1/submissions/${body.data.uuid}`);
  }
  return paths;
}
