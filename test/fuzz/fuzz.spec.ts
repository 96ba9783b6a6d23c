import fc from 'fast-check';
import { HIDDEN_VALUES, type HiddenValues } from '../../src/conditions/engine/index.js';
import { itOnOneServer } from '../support/it-on-one-server.js';
import { newUser, type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { buildForms } from './forms.js';
import { fuzz, GOAL } from './fuzzing.js';
import { knownOf } from './known.js';
import type { ModelForm } from './model-types.js';
import { operations, type RequestPlan, requestsOf, type Who } from './request-plans.js';
import { Run } from './run.js';

/** Milliseconds: long enough for any number of requests. */
jest.setTimeout(60 * 60_000);

let database: TestDatabase;
let services: Record<HiddenValues, Service>;
let forms: ModelForm[];
let requestsSent = 0;

beforeAll(async () => {
  database = await testDatabase();
  const start = (hiddenValues: HiddenValues) =>
    startService(database, { FILES_URL: '', HIDDEN_VALUES: hiddenValues, TRUST_PROXY: '127.0.0.1' });
  services = { keep: await start('keep'), ignore: await start('ignore') };
  const built = await buildForms(database.dataSource, services.keep.anyone);
  forms = built.map((form) => ({ ...form, hiddenValues: 'keep' }));
});

afterAll(async () => {
  for (const service of Object.values(services)) await service.close();
  await database.close();
});

const operationNamed = (id: string) => operations.find(({ operation }) => operation.operationId === id)!;
const mostly = (usual: Who, ...rare: readonly [weight: number, Who][]) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(usual) },
    ...rare.map(([weight, who]) => ({ weight, arbitrary: fc.constant(who) })),
  );

/** Up to 100 requests of operations with these weights. Few of their parts are hostile. */
function sequences(
  weighed: readonly (readonly [(typeof operations)[number], weight: number])[],
  who: fc.Arbitrary<Who>,
  known: readonly ModelForm[],
): fc.Arbitrary<RequestPlan[]> {
  const requests = weighed.map(([operation, weight]) => ({
    weight,
    arbitrary: fc
      .tuple(requestsOf(operation, knownOf(known), 4), who)
      .map(([plan, sender]) => ({ ...plan, who: sender })),
  }));
  return fc.array(fc.oneof(...requests), { maxLength: 100, size: 'max' });
}

/** Rare, because a sequence can do nothing more with a deleted submission. */
const RARE = ['createSubmission', 'deleteSubmission'];
/** The operations of respondents, and those on the drafts that they may have. */
const OF_RESPONDENTS: Readonly<Record<string, number>> = {
  ...{ createRespondent: 2, createSubmission: 12, listSubmissions: 2, getSubmission: 2, storeValues: 2 },
  ...{ patchSubmission: 3, deleteSubmission: 1, createResumeCode: 8, resume: 5, endRespondent: 1 },
};

const KINDS: readonly [title: string, share: number, () => fc.Arbitrary<RequestPlan[]>][] = [
  [
    'sequences of requests',
    0.6,
    () => {
      const who = mostly('owner', [2, 'respondent'], [1, 'stranger'], [1, 'nobody']);
      const weighed = operations.map((operation) => {
        const isOften =
          operation.route.includes('/submissions') && !RARE.includes(operation.operation.operationId);
        return [operation, isOften ? 6 : 1] as const;
      });
      return sequences(weighed, who, forms);
    },
  ],
  [
    'sequences of requests of respondents',
    0.2,
    () => {
      const who = mostly('respondent', [1, 'owner'], [1, 'stranger'], [1, 'nobody']);
      const weighed = Object.entries(OF_RESPONDENTS).map(
        ([id, weight]) => [operationNamed(id), weight] as const,
      );
      const open = forms.filter(({ form }) => form.is_active && form.access === 'public').slice(0, 2);
      return sequences(weighed, who, open);
    },
  ],
  [
    'broken requests of each operation',
    0.2,
    () =>
      fc.oneof(
        ...operations.map((operation) =>
          fc.array(requestsOf(operation, knownOf(forms), 50), { minLength: 1, maxLength: 10 }),
        ),
      ),
  ],
];

itOnOneServer.each(KINDS)('responds to %s as the model predicts', async (title, share, requests) => {
  const active = forms.filter(({ form }) => form.is_active);
  // Each run has new users and begins with one submission and two records, so that a repeated run takes the same course.
  const first = fc.tuple(
    ...['createSubmission', 'createRecord', 'createRecord'].map((id) =>
      requestsOf(operationNamed(id), knownOf(active), 0),
    ),
  );
  const hidden = fc.constantFrom(...HIDDEN_VALUES);
  const property = fc.asyncProperty(hidden, first, requests(), async (hiddenValues, begun, more) => {
    const use = { database, service: services[hiddenValues] };
    const [owner, stranger] = [await newUser(use), await newUser(use)];
    const clients = { owner: owner.client, stranger: stranger.client, nobody: use.service.anyone };
    const asked = forms.map((form) => ({ ...form, hiddenValues }));
    const run = new Run({ url: use.service.url, forms: asked, clients });
    for (const plan of [...begun, ...more]) {
      requestsSent += 1;
      await run.send(plan);
    }
  });
  const enough = requestsSent + GOAL * share;
  await fuzz(`responds to ${title} as the model predicts`, property, () => requestsSent >= enough);
});
