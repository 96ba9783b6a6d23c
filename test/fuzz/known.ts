import fc from 'fast-check';
import type { Known } from './from-schema.js';
import type { Model } from './model.js';
import type { ModelForm, ModelSubmission } from './model-types.js';
import { Picked } from './request-plans.js';

/** The source of picked values: the run so far, and the submission that the request is about. */
export interface Scene {
  readonly model: Model;
  readonly target: string;
  readonly submission: ModelSubmission | undefined;
}

const NOBODYS = '01890000-0000-7000-8000-000000000001';

const pick = (of: (scene: Scene) => unknown) => fc.constant(new Picked(of));
const pickNth = (list: (scene: Scene) => readonly unknown[], other: unknown) =>
  fc.nat(11).map(
    (n) =>
      new Picked<Scene>((scene) => {
        const all = list(scene);
        return all.length === 0 ? other : all[n % all.length];
      }),
  );

const fieldsOf = ({ submission }: Scene) =>
  submission?.form.schema.steps.flatMap(({ fields }) => fields) ?? [];
const holdingValues = (scene: Scene) =>
  fieldsOf(scene).filter(({ field_type }) => !field_type.component.endsWith('-display'));
const mostly = (usual: fc.Arbitrary<unknown>, rare: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare });
/** Mostly the id of a record of the submission, or `otherwise` if it has none. */
const recordId = (otherwise: number | null) =>
  mostly(
    pickNth(({ submission }) => submission?.records.map(({ id }) => id) ?? [], otherwise),
    pickNth(({ model }) => model.submissions.flatMap(({ records }) => records.map(({ id }) => id)), 1),
  );
const etagOf = ({ submission }: Scene) => `"${submission?.etags.at(-1)}"`;
const anyCase = (uuids: readonly string[]) =>
  fc.constantFrom(...uuids, ...uuids.map((uuid) => uuid.toUpperCase()));

/** The code as a person may write it (P5). */
const readAloud = (code: string) =>
  code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');

/** Values that fit these forms, by the name of a property or parameter, or by 'form uuid' and 'submission uuid'. */
export function knownOf(forms: readonly ModelForm[]): Known {
  const uuids = forms.map(({ form }) => form.uuid);
  return {
    'form uuid': anyCase(uuids),
    slug: fc.constantFrom(...forms.map(({ form }) => form.slug)),
    page: fc.integer({ min: 1, max: 4 }),
    locale: fc.constantFrom(
      'de',
      'DE-at',
      'zh-hant-TW',
      'x-private',
      'de_AT',
      '',
      'en-u-HC-h12',
      'de-1996-1996',
    ),
    version: pickNth(({ model }) => model.forms.map(({ schema }) => schema.version), 1),
    per_page: fc.integer({ min: 1, max: 4 }),
    cursor: pickNth(({ model }) => [...model.cursors.keys()], 'none'),
    'If-None-Match': fc.oneof(
      pick(({ model, target }) => `W/"${model.etags.get(target)}"`),
      pick(({ model, target }) => `"x", "${model.etags.get(target)}"`),
      fc.constant('*'),
    ),
    'submission uuid': mostly(
      pickNth(({ model }) => model.submissions.map(({ uuid }) => uuid), NOBODYS),
      pickNth(({ model }) => model.submissions.map(({ uuid }) => uuid.toUpperCase()), NOBODYS),
    ),
    'If-Match': fc.oneof(
      pick(etagOf),
      pick((scene) => `"x" , ${etagOf(scene)}`),
      pick((scene) => `W/${etagOf(scene)}`),
      pickNth(({ submission }) => submission?.etags.map((etag) => `"${etag}"`) ?? [], '"x"'),
      fc.constant('*'),
    ),
    // The target as a key comes again with the same request only; `a` and `b` come with different requests.
    'Idempotency-Key': fc.oneof(
      pick(({ target }) => target),
      fc.constantFrom('a', 'b'),
    ),

    form_uuid: anyCase(uuids),
    // Codes that were used before stay in the list.
    code: pickNth(
      ({ model }) => model.respondents.codes.flatMap((code) => [code, readAloud(code)]),
      '0'.repeat(26),
    ),
    proof: fc.constantFrom('', 'e30='),
    field_id: mostly(
      pickNth((scene) => holdingValues(scene).map(({ id }) => id), 1),
      pickNth((scene) => fieldsOf(scene).map(({ id }) => id), 1),
    ),
    field_code: mostly(
      pickNth((scene) => holdingValues(scene).map(({ code }) => code), 'none'),
      pickNth((scene) => fieldsOf(scene).map(({ code }) => code), 'none'),
    ),
    entity: pickNth(
      ({ submission }) => submission?.form.schema.entities.map(({ name }) => name) ?? [],
      'none',
    ),
    // The id of a record in a path.
    id: recordId(1),
    entity_record_id: recordId(null),
    step: fc.integer({ min: 1, max: 4 }),
    value: fc.constantFrom(
      ...['yes', '', '5', 'a', 'Yes', '10', ' 7 ', '-1e1', '1e400', '.5', 'b', 'a,b', 'xyz', 'yes ', ' no'],
      ...[' \n', '\u00a0\u200b', '\u200d', '1999-12-31', ' 1999-12-31\u00a0', '2999-01-01', '2999-01-02'],
      // Dates around the start of the run in all time zones.
      ...[-36, -12, 0, 14, 38].map((hours) => new Date(Date.now() + hours * 3_600_000).toJSON().slice(0, 10)),
    ),
    // Mostly draft, because a completed submission rejects most requests.
    status: mostly(fc.constant('draft'), fc.constant('completed')),
    meta: fc.oneof(
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
      fc.constantFrom<unknown>(null, { 'a\u0000': 1 }, { a: [{ b: '\ud800' }] }),
      fc.integer({ min: -1, max: 1 }).map((more) => ({ text: 'x'.repeat(16_384 - 11 + more) })),
    ),
  };
}
