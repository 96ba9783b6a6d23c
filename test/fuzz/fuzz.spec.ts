import fc from 'fast-check';
import { HIDDEN_VALUES, type HiddenValues } from '../../src/rules/index.js';
import { newUser, type Service, startService } from '../support/service.js';
import { testDatabase, type TestDatabase } from '../support/test-database.js';
import { buildForms } from './forms.js';
import { fuzz, GOAL } from './fuzzing.js';
import { knownOf } from './known.js';
import type { ModelForm } from './model-types.js';
import { operations, type RequestPlan, requestsOf, type Who } from './request-plans.js';
import { Run } from './run.js';

/** Milliseconds: long enough for any number of requests. */
const PATIENCE = 60 * 60_000;

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
  await database.drop();
  process.stdout.write(`fuzz: ${requestsSent} requests were sent\n`);
});

/** Rare, because a sequence can do nothing more with a deleted submission. */
const RARE = ['createSubmission', 'deleteSubmission'];
const operationNamed = (id: string) => operations.find(({ operation }) => operation.operationId === id)!;

/** Each run has new users and begins with one submission and two records, so that a repeated run takes the same course. */
async function fuzzSequences(title: string, requests: fc.Arbitrary<RequestPlan[]>, goal: number) {
  const active = forms.filter(({ form }) => form.is_active);
  const first = fc.tuple(
    ...['createSubmission', 'createRecord', 'createRecord'].map((id) =>
      requestsOf(operationNamed(id), knownOf(active), 0),
    ),
  );
  const hidden = fc.constantFrom(...HIDDEN_VALUES);
  const property = fc.asyncProperty(hidden, first, requests, async (hiddenValues, begun, more) => {
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
  const enough = requestsSent + goal;
  await fuzz(title, property, () => requestsSent >= enough);
}

const SEQUENCES = 'responds to sequences of requests as the model predicts';

it(
  SEQUENCES,
  async () => {
    const who = fc.oneof(
      { weight: 20, arbitrary: fc.constant<Who>('owner') },
      { weight: 2, arbitrary: fc.constant<Who>('respondent') },
      { weight: 1, arbitrary: fc.constantFrom<Who>('stranger', 'nobody') },
    );
    const request = fc.oneof(
      ...operations.map((operation) => ({
        weight:
          !RARE.includes(operation.operation.operationId) && operation.route.includes('/submissions') ? 6 : 1,
        arbitrary: fc
          .tuple(requestsOf(operation, knownOf(forms), 4), who)
          .map(([plan, sender]) => ({ ...plan, who: sender })),
      })),
    );
    await fuzzSequences(SEQUENCES, fc.array(request, { maxLength: 100, size: 'max' }), GOAL * 0.6);
  },
  PATIENCE,
);

/** The operations of respondents, and those on the drafts that they may have. */
const OF_RESPONDENTS: Readonly<Record<string, number>> = {
  createRespondent: 2,
  createSubmission: 12,
  listSubmissions: 2,
  getSubmission: 2,
  storeValues: 2,
  patchSubmission: 3,
  deleteSubmission: 1,
  createResumeCode: 8,
  resume: 5,
  endRespondent: 1,
};
const OWN_WAYS = 'responds to sequences of requests of respondents as the model predicts';

it(
  OWN_WAYS,
  async () => {
    const who = fc.oneof(
      { weight: 20, arbitrary: fc.constant<Who>('respondent') },
      { weight: 1, arbitrary: fc.constantFrom<Who>('owner', 'stranger', 'nobody') },
    );
    const open = forms.filter(({ form }) => form.is_active && form.access === 'public').slice(0, 2);
    const request = fc.oneof(
      ...Object.entries(OF_RESPONDENTS).map(([id, weight]) => ({
        weight,
        arbitrary: fc
          .tuple(requestsOf(operationNamed(id), knownOf(open), 4), who)
          .map(([plan, sender]) => ({ ...plan, who: sender })),
      })),
    );
    await fuzzSequences(OWN_WAYS, fc.array(request, { maxLength: 100, size: 'max' }), GOAL * 0.2);
  },
  PATIENCE,
);

it.each(operations.map((operation) => ({ ...operation, id: operation.operation.operationId })))(
  'responds to broken requests of $id as the model predicts',
  async ({ id, ...operation }) => {
    const broken = fc.array(requestsOf(operation, knownOf(forms), 50), { minLength: 1, maxLength: 10 });
    const title = `responds to broken requests of ${id} as the model predicts`;
    await fuzzSequences(title, broken, (GOAL * 0.2) / operations.length);
  },
  PATIENCE,
);

it('sends at least as many requests as its goal', () => {
  expect(requestsSent).toBeGreaterThanOrEqual(GOAL);
});
