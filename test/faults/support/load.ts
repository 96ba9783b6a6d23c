import http from 'node:http';

export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: http.OutgoingHttpHeaders;
}

/** The outcome of a request: a response, or an error of the connection. */
export interface Outcome {
  readonly request: LoadRequest;
  /** The URL of the instance that got the request. */
  readonly url: string;
  readonly status?: number;
  readonly headers?: http.IncomingHttpHeaders;
  readonly body?: any;
  readonly error?: NodeJS.ErrnoException;
  /** The time of the request, on the clock of `performance.now()`. */
  readonly sentAt: number;
  /** The duration in milliseconds. */
  readonly took: number;
}

interface LoadOptions {
  /** The URL of the service. A function is called for each request. */
  readonly url: string | (() => string);
  readonly plainToken?: string;
  /** The number of clients. Each sends its next request after its last response, on a keep-alive connection. */
  readonly clients: number;
  /** Returns the client's next request, or undefined if the client has no more requests. */
  readonly next: (
    client: number,
    count: number,
    last: Outcome | undefined,
  ) => LoadRequest | undefined | Promise<LoadRequest | undefined>;
}

/** Clients that send requests until they are stopped, and record every outcome. They do not retry. */
export class Load {
  private static readonly all = new Set<Load>();

  /** Stops the loads that a failed test has left running. */
  static stopAll(): void {
    for (const load of Load.all) load.isStopped = true;
    Load.all.clear();
  }

  readonly outcomes: Outcome[] = [];
  private isStopped = false;
  private readonly agent: http.Agent;
  private readonly ended: Promise<unknown>;

  constructor(private readonly options: LoadOptions) {
    Load.all.add(this);
    this.agent = new http.Agent({ keepAlive: true, maxSockets: options.clients });
    this.ended = Promise.all(Array.from({ length: options.clients }, (_, client) => this.run(client)));
  }

  /** The outcomes with status 2xx. */
  get acknowledged(): Outcome[] {
    return this.outcomes.filter(isAcknowledged);
  }

  /** The number of outcomes by status, or by error if there is no response. */
  get summary(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status, error } of this.outcomes) {
      const what = String(status ?? error?.code ?? error?.message);
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  }

  /** Resolves when the requests in flight have ended. */
  async stop(): Promise<Outcome[]> {
    this.isStopped = true;
    return this.done();
  }

  /** Resolves when no client has more requests. */
  async done(): Promise<Outcome[]> {
    await this.ended;
    this.agent.destroy();
    return this.outcomes;
  }

  private async run(client: number): Promise<void> {
    let last: Outcome | undefined;
    for (let count = 0; !this.isStopped; count += 1) {
      const request = await this.options.next(client, count, last);
      if (request === undefined) return;
      last = await send({ ...this.options, agent: this.agent }, request);
      this.outcomes.push(last);
    }
  }
}

export function isAcknowledged({ status }: Outcome): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

/** The percentile of the response times, in milliseconds. */
export function percentile(outcomes: readonly Outcome[], percent: number): number {
  const sorted = outcomes.map(({ took }) => took).sort((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? NaN;
}

/** Sends one request. Never throws. */
export function send(
  { url, plainToken, agent }: Pick<LoadOptions, 'url' | 'plainToken'> & { agent?: http.Agent },
  request: LoadRequest,
): Promise<Outcome> {
  const asked = typeof url === 'string' ? url : url();
  const { hostname, port } = new URL(asked);
  const { method, path, body, headers } = request;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const sentAt = performance.now();
  return new Promise((resolve) => {
    const settle = (outcome: Partial<Outcome>) => {
      resolve({ request, url: asked, sentAt, took: performance.now() - sentAt, ...outcome });
    };
    const outgoing = http.request({
      ...{ hostname, port, method, path, agent: agent ?? false },
      headers: {
        ...(plainToken !== undefined && { Authorization: `Bearer ${plainToken}` }),
        ...(text !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(text),
        }),
        ...headers,
      },
    });
    outgoing.on('error', (error) => settle({ error }));
    outgoing.on('response', (response) => {
      const received: Buffer[] = [];
      response.on('data', (chunk: Buffer) => received.push(chunk));
      response.on('error', (error) => settle({ error }));
      response.on('end', () =>
        settle({
          status: response.statusCode,
          headers: response.headers,
          body: parse(Buffer.concat(received).toString()),
        }),
      );
    });
    outgoing.end(text);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
