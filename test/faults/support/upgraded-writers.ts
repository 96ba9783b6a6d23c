import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { isAcknowledged, Load, type LoadRequest, type Outcome } from './load.js';

/** Milliseconds between two requests of a client, so that the machine has time for other work. */
const PAUSE = 40;

/** The acknowledged state of a submission. */
interface Expected {
  readonly uuid: string;
  readonly status: 'draft' | 'completed';
  readonly step: number;
  readonly meta: unknown;
  /** Values by `code`, or by `code.record`. */
  readonly values: Readonly<Record<string, string>>;
  readonly records: readonly number[];
}

interface Turn {
  readonly request: (expected: Expected) => LoadRequest;
  /** The expected state after the request is acknowledged, or undefined if the request deletes the submission. */
  readonly effect: (expected: Expected, body: any) => Expected | undefined;
  /** The status of a retry if the first attempt was executed but got no 2xx. */
  readonly repeated?: number;
}

interface Client {
  turns: Turn[];
  position: number;
  /** Whether an earlier attempt was rejected. The service may have executed this attempt nevertheless. */
  wasRefused: boolean;
  expected: Expected;
}

const NOTHING: Expected = { uuid: '', status: 'draft', step: 1, meta: null, values: {}, records: [] };

/**
 * Clients that each create submissions, store values, add and remove records, read, advance, and complete or delete.
 * They retry requests that are not acknowledged.
 */
export class UpgradedWriters {
  acknowledged = 0;
  /** Outcomes that are neither acknowledged nor rejected with Retry-After. */
  readonly wrong: Outcome[] = [];
  private readonly finished: Expected[] = [];
  private readonly deleted: string[] = [];
  private readonly clients: Client[];
  private isFinishing = false;

  constructor(
    private readonly formUuid: string,
    private readonly plainToken: string,
    clients: number,
  ) {
    this.clients = Array.from({ length: clients }, (_, index) => this.begin(index));
  }

  start(url: () => string): Load {
    const { plainToken } = this;
    return new Load({
      ...{ url, plainToken, clients: this.clients.length },
      next: (client, _, last) => this.next(this.clients[client]!, last),
    });
  }

  /** Each client finishes its current submission and then stops. */
  finish(): void {
    this.isFinishing = true;
  }

  /** Expects exactly the acknowledged state. `others` is the number of submissions that existed before. */
  async expectAllStored(dataSource: DataSource, others: number): Promise<void> {
    const [{ count }] = await dataSource.query('select count(*)::integer from submissions');
    expect(count).toBe(this.finished.length + others);
    const uuids = this.finished.map(({ uuid }) => uuid);
    const rows = await dataSource.query<Expected[]>(
      `select uuid, status, current_step as step, meta,
              coalesce((select json_object_agg(concat_ws('.', code, entity_record_id), value) from submission_values
                          join fields on fields.id = field_id where submission_uuid = uuid), '{}') as values,
              array(select id::integer from entity_records where submission_uuid = uuid order by id) as records
         from submissions where uuid = any ($1)`,
      [uuids],
    );
    const stored = new Map(rows.map((row) => [row.uuid, row]));
    const wrong = this.finished.filter(
      (expected) => JSON.stringify(sorted(stored.get(expected.uuid))) !== JSON.stringify(sorted(expected)),
    );
    expect(wrong.slice(0, 3).map((expected) => [expected, stored.get(expected.uuid)])).toEqual([]);
    const events = await dataSource.query<{ event: string; uuid: string }[]>(
      'select event, submission_uuid as uuid from webhook_outbox',
    );
    const completed = this.finished.filter(({ status }) => status === 'completed').map(({ uuid }) => uuid);
    const told = (event: string) => events.filter((each) => each.event === event).map(({ uuid }) => uuid);
    expect(told('submission.completed').toSorted()).toEqual(completed.toSorted());
    expect(told('submission.deleted').toSorted()).toEqual(this.deleted.toSorted());
    for (const kind of [completed, this.deleted]) expect(kind.length).toBeGreaterThan(0);
  }

  private async next(client: Client, last: Outcome | undefined): Promise<LoadRequest | undefined> {
    const turn = client.turns[client.position]!;
    if (last !== undefined) {
      const isRepeated = client.wasRefused && last.status === turn.repeated;
      if (isAcknowledged(last) || isRepeated) {
        if (this.accept(client, turn, last.body)) return undefined;
      } else if (isRefused(last)) client.wasRefused = true;
      else this.wrong.push(last);
    }
    await sleep(PAUSE);
    return client.turns[client.position]!.request(client.expected);
  }

  /** Records the acknowledged effect. Returns whether the client has no more requests. */
  private accept(client: Client, turn: Turn, body: any): boolean {
    this.acknowledged += 1;
    const expected = turn.effect(client.expected, body);
    if (expected === undefined) this.deleted.push(client.expected.uuid);
    else client.expected = expected;
    client.wasRefused = false;
    client.position += 1;
    if (client.position < client.turns.length) return false;
    if (expected !== undefined) this.finished.push(expected);
    if (this.isFinishing) return true;
    Object.assign(client, this.begin(this.finished.length + this.deleted.length));
    return false;
  }

  private begin(count: number): Client {
    return { turns: turnsOf(this.formUuid, count), position: 0, wasRefused: false, expected: NOTHING };
  }
}

/** Whether the response is 503 or 409 with Retry-After. 409 means that an earlier attempt still holds the key. */
function isRefused({ status = 0, headers }: Outcome): boolean {
  return [409, 503].includes(status) && /^[1-9]\d*$/.test(headers?.['retry-after'] ?? '');
}

function turnsOf(formUuid: string, count: number): Turn[] {
  const key = randomUUID();
  const turn = (
    method: string,
    below: string,
    body: unknown,
    effect: Turn['effect'] = (expected) => expected,
    repeated = 0,
  ): Turn => ({
    request: ({ uuid, records }) => ({
      method,
      path: `/api/v1/submissions${below.replace('{uuid}', uuid).replace('{record}', String(records[0]))}`,
      body: typeof body === 'function' ? (body as (of: readonly number[]) => unknown)(records) : body,
      headers:
        method === 'POST' && !below.endsWith('/values') ? { 'Idempotency-Key': `${key} ${below}` } : {},
    }),
    effect,
    repeated,
  });
  const store = (values: Record<string, string>) =>
    turn(
      'POST',
      '/{uuid}/values',
      { values: Object.entries(values).map(([field_code, value]) => ({ field_code, value })) },
      (expected) => ({ ...expected, values: { ...expected.values, ...values } }),
    );
  return [
    turn('POST', '', { form_uuid: formUuid }, (expected, { data }) => ({ ...expected, uuid: data.uuid })),
    store({ name: `Ada ${count}`, note: key }),
    turn('POST', '/{uuid}/records', { entity: 'expense' }, (expected, { data }) => ({
      ...expected,
      records: [data.id],
    })),
    turn(
      'POST',
      '/{uuid}/values',
      ([record]: readonly number[]) => ({
        values: [{ field_code: 'amount', entity_record_id: record, value: String(count) }],
      }),
      (expected) => ({
        ...expected,
        values: { ...expected.values, [`amount.${expected.records[0]}`]: String(count) },
      }),
    ),
    turn('GET', '/{uuid}/conditions', undefined),
    turn('GET', '?limit=5', undefined),
    ...(count % 3 === 0
      ? [
          turn(
            'DELETE',
            '/{uuid}/records/{record}',
            undefined,
            ({ values: { name = '', note = '' }, ...expected }) => ({
              ...expected,
              values: { name, note },
              records: [],
            }),
            404,
          ),
        ]
      : []),
    turn('POST', '/{uuid}/advance', undefined, (expected) => ({ ...expected, step: 2 })),
    store({ name: `Grace ${count}` }),
    turn('GET', '/{uuid}', undefined),
    count % 5 === 0
      ? turn('DELETE', '/{uuid}', undefined, () => undefined, 404)
      : turn('PATCH', '/{uuid}', { status: 'completed', meta: { count } }, (expected) => ({
          ...expected,
          status: 'completed',
          meta: { count },
        })),
  ];
}

function sorted(expected: Expected | undefined) {
  if (expected === undefined) return undefined;
  const { uuid, status, step, meta, values, records } = expected;
  return [uuid, status, step, meta, Object.entries(values).toSorted(), records];
}
