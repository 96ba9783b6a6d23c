import type { Answer, Client } from '../support/client.js';
import { from, newAddress } from '../support/rate-limits.js';
import { bearer } from '../support/respondents.js';
import { brief, differencesBetween, shortened } from './differences.js';
import { type Scene } from './known.js';
import { Model } from './model.js';
import type { ModelForm } from './model-types.js';
import type { RequestPlan, Who } from './request-plans.js';
import { composed, fitsDocument, type Request } from './requests.js';

interface Use {
  readonly url: string;
  readonly forms: readonly ModelForm[];
  readonly clients: Readonly<Record<Exclude<Who, 'respondent'>, Client>>;
}

/** Sends requests one after another and compares each response with the model's prediction. */
export class Run {
  private readonly model: Model;
  /** The requests and responses so far, one line each. */
  private readonly trace: string[] = [];

  constructor(private readonly use: Use) {
    this.model = new Model(use.url, use.forms);
  }

  async send(plan: RequestPlan): Promise<void> {
    const request = this.compose(plan);
    this.trace.push(described(request));
    try {
      await this.exchange(request);
    } catch (error) {
      throw new Error([...this.trace, (error as Error).message].join('\n'), { cause: error });
    }
  }

  private async exchange(request: Request): Promise<void> {
    const isRespondent = request.who === 'respondent';
    const client = this.use.clients[isRespondent ? 'nobody' : (request.who as 'owner')];
    const { token } = this.model.respondents;
    const credentials = isRespondent && token !== undefined ? bearer(token) : {};
    // Each request comes from another address, because an address may try ten codes a minute.
    const headers = { ...request.headers, ...credentials, ...from(newAddress()) };
    const answer = await sent(client, { ...request, headers });
    this.trace.push(`  answered   ${answer.status} ${brief(answer.body)}`);
    if (answer.status < 400 && !fitsDocument(request)) {
      throw new Error('  predicted  a refusal: the request is not as the OpenAPI document has it');
    }
    const expected = this.model.answer(request, {
      uuid: String(answer.body?.data?.uuid),
      etag: (answer.headers.get('etag') ?? '').replaceAll('"', ''),
      isDone: answer.status < 400,
      next: (answer.body?.links?.next ?? null) as string | null,
      secret: {
        text: String(answer.body?.data?.token ?? answer.body?.data?.code),
        expires_at: String(answer.body?.data?.expires_at),
      },
      record: { id: Number(answer.body?.data?.id), created_at: String(answer.body?.data?.created_at) },
    });
    const differences =
      expected === undefined ? [] : differencesBetween(expected, answer, request.headers['Accept']);
    if (differences.length > 0) throw new Error(`  predicted  ${differences.join('\n             ')}`);
  }

  /** Composes the path first, because the other parts may depend on the submission that the path names. */
  private compose(plan: RequestPlan): Request {
    const { model } = this;
    const scene: Scene = { model, submission: undefined, target: '' };
    const named = composed({ ...plan, headers: {}, body: undefined }, scene);
    const uuid = named.path?.['uuid']?.toLowerCase();
    const submission = model.submissions.find((other) => other.uuid === uuid);
    return composed(plan, { ...scene, submission, target: named.target } satisfies Scene);
  }
}

function sent(client: Client, { route, target, headers, body }: Request): Promise<Answer> {
  const method = route.split(' ')[0]!;
  if (method === 'GET') return client.get(target, headers);
  if (body !== undefined)
    return client.send(method, target, body.text, { 'Content-Type': body.type, ...headers });
  if (method === 'DELETE') return client.delete(target, headers);
  return method === 'PATCH'
    ? client.patch(target, undefined, headers)
    : client.post(target, undefined, headers);
}

function described({ route, target, who, headers, body }: Request): string {
  const sentHeaders = Object.entries(headers).map(([name, value]) => ` ${name}: ${value}`);
  const sentBody =
    body === undefined ? '' : ` ${body.type === 'application/json' ? '' : body.type} ${body.text}`;
  return shortened(`${who}: ${route.split(' ')[0]} ${target}${sentHeaders.join(',')}${sentBody}`);
}
