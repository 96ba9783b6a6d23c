import { type ClientOptions, FormtrailClient } from 'formtrail-client';
import { Draft, type DraftOptions, type Question, type ShownDraft } from 'formtrail-session';
import { eventually } from '../../support/eventually.js';
import { type BuiltForm, buildForm, type FieldPlan, type FormPlan } from '../../support/forms.js';
import { newUser, type Service } from '../../support/service.js';
import type { TestDatabase } from '../../support/test-database.js';

interface Use {
  readonly database: TestDatabase;
  readonly service: Service;
}

/** Device storage, like `localStorage`. */
export class Device {
  readonly items = new Map<string, string>();

  get length() {
    return this.items.size;
  }

  key(index: number) {
    return [...this.items.keys()][index] ?? null;
  }

  getItem(name: string) {
    return this.items.get(name) ?? null;
  }

  setItem(name: string, value: string) {
    this.items.set(name, value);
  }

  removeItem(name: string) {
    this.items.delete(name);
  }
}

/** A network that a test can break. `fetch` is an option of a window. */
export class Network {
  isOffline = false;
  /** The next request of this form, such as `/POST .*\/values/`, is executed, but its response is lost. */
  lost: RegExp | undefined;

  readonly fetch = async (request: Request): Promise<Response> => {
    if (this.isOffline) throw new TypeError('Failed to fetch');
    const response = await fetch(request);
    if (!this.lost?.test(`${request.method} ${new URL(request.url).pathname}`)) return response;
    this.lost = undefined;
    throw new TypeError('Failed to fetch');
  };
}

/** A window with an open draft. */
export class Window {
  /** Requests in the order in which they were sent, such as `POST values`, or `GET` for the submission itself. */
  readonly requests: string[] = [];
  /** Maximum number of writes in flight at once. */
  maxParallelWrites = 0;
  readonly draft: Draft;
  readonly close: () => void;

  constructor(options: Omit<DraftOptions, 'client'> & { client: ClientOptions }) {
    let writes = 0;
    const { fetch: send = (request: Request) => fetch(request) } = options.client;
    const client = new FormtrailClient({
      patience: 0,
      ...options.client,
      fetch: async (request) => {
        const { pathname } = new URL(request.url);
        const isWrite = request.method !== 'GET';
        this.requests.push(
          `${request.method} ${pathname.replace(/^\/api\/v1\/(submissions\/[^/]+\/?)?/, '')}`.trim(),
        );
        if (isWrite) this.maxParallelWrites = Math.max(this.maxParallelWrites, (writes += 1));
        try {
          return await send(request);
        } finally {
          if (isWrite) writes -= 1;
        }
      },
    });
    this.draft = new Draft({ ...options, client });
    this.close = this.draft.subscribe(() => undefined);
  }

  /** Begins the submission without an answer, for tests of what happens afterwards. Does nothing if the draft is not open. */
  async begin(): Promise<void> {
    const answers = this.draft['openAnswers']();
    // Failures are in the snapshot.
    if (answers) await this.draft['begin'](answers).catch((error: unknown) => this.draft['recover'](error));
  }

  get shown(): ShownDraft {
    const snapshot = this.draft.getSnapshot();
    if (snapshot.status === 'loading' || snapshot.status === 'failed')
      throw new Error(`The draft is not open: ${JSON.stringify(snapshot)}`);
    return snapshot;
  }

  /** Finds a question on the current step, including those in entries. */
  question(key: string): Question | undefined {
    return this.shown.step?.blocks
      .flatMap((block) => (block.kind === 'group' ? block.entries.flatMap(({ blocks }) => blocks) : [block]))
      .find((block) => block.kind === 'question' && block.key === key) as Question | undefined;
  }

  get keys(): string[] {
    return this.shown.step?.blocks.map(({ key }) => key) ?? [];
  }

  /** Waits until `saving` is of this kind. */
  until(kind: ShownDraft['saving']['kind']): Promise<unknown> {
    return eventually(`saving is ${kind}`, () => this.shown.saving.kind === kind);
  }
}

type OpenOptions = Partial<Omit<DraftOptions, 'client'>> & Omit<ClientOptions, 'token'>;

/** Opens a form in a window without a token. The window is closed at the end of the test. */
export async function openWindow(options: ConstructorParameters<typeof Window>[0]): Promise<Window> {
  const window = new Window(options);
  windows.push(window);
  await window.draft.open();
  return window;
}

/** Creates a user, who can open a form in windows: an existing form, or a new one with these steps. */
export async function newPerson(
  use: Use,
  given: BuiltForm | readonly Record<string, FieldPlan>[],
  plan: FormPlan = {},
) {
  const built = 'form' in given ? given : await buildForm(use.database.dataSource, { ...plan, steps: given });
  const user = await newUser(use);
  let { plainToken } = user;
  const look = async (options: OpenOptions = {}) => {
    const { url = use.service.url, sendContent, fetch, ...rest } = options;
    const client = { url, token: () => plainToken, sendContent, fetch };
    return openWindow({ form: built.form.slug, storage: new Device(), ...rest, client });
  };
  return {
    ...built,
    client: user.client,
    formtrail: new FormtrailClient({ url: use.service.url, token: plainToken }),
    tokenId: user.token.id,
    plainToken,
    userId: user.id,
    signIn: (token: string) => {
      plainToken = token;
    },
    /** Opens the form in a window, which is closed at the end of the test, and begins a submission. */
    open: async (options: OpenOptions = {}) => {
      const window = await look(options);
      await window.begin();
      return window;
    },
    /** Only opens the form. */
    look,
    /** Returns the stored submission, with its answers by field code. */
    stored: async (window: Window) => {
      const { body } = await user.client.get(`/api/v1/submissions/${window.shown.submission}`);
      const values = body.data.values as { field_code: string; value: string }[];
      return { ...body.data, answers: Object.fromEntries(values.map((one) => [one.field_code, one.value])) };
    },
  };
}

const windows: Window[] = [];

afterEach(() => {
  for (const window of windows.splice(0)) window.close();
});
