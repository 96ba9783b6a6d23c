import { completionErrors } from './model-completion.js';
import {
  conditionsChecks,
  type Expected,
  failed,
  foreignRecords,
  includeChecks,
  isIntegerText,
  isStatus,
  isStorableMeta,
  isText,
  keyCheck,
  localeCheck,
  mistakesIn,
  namedFields,
  nameOf,
  objectIn,
  readJson,
  recordIdOf,
  Refusal,
  refuse,
  refuseIfWrong,
  refuseName,
  refuseUnless,
  refuseUnlessAny,
  tagOf,
  tagsIn,
} from './model-reading.js';
import {
  answered,
  byFieldAndRecord,
  including,
  conditionsOf,
  presented,
  shown,
  refuseIfCompleted,
  stepsOf,
  touch,
  withVersion,
} from './model-state.js';
import type { ModelEntity, ModelForm, ModelRecord, ModelSubmission } from './model-types.js';
import { ModelRespondents } from './model-respondents.js';
import type { Sender } from './request-plans.js';
import type { Request } from './requests.js';

const refuseIfAny = (errors: object) => refuseIfWrong(Object.keys(errors).map((name) => [name]));

/** Values that the service chooses, taken from its response. The ETag has no quotes. */
export interface Chosen {
  readonly uuid: string;
  readonly etag: string;
  /** Whether the request succeeded. */
  readonly isDone: boolean;
  /** The URL of the next page, if there is one. */
  readonly next: string | null;
  readonly record: Pick<ModelRecord, 'id' | 'created_at'>;
  /** A new token or code of a respondent. */
  readonly secret: { readonly text: string; readonly expires_at: string };
}

type Answerer = (request: Request, chosen: Chosen) => Expected;

const MAX_INTEGER = 2_147_483_647;

/** The maximum number of records of all entities together (R3). */
const MAX_RECORDS = 200;

/**
 * The service as docs/contract.md describes it, in plain TypeScript and without code of the service. The model predicts
 * the response to a request and stores its changes.
 */
export class Model {
  readonly submissions: ModelSubmission[] = [];
  /** ETags of public resources, by target. */
  readonly etags = new Map<string, string>();
  /** For each cursor of a list of submissions, the last submission before its page. */
  readonly cursors = new Map<string, Pick<ModelSubmission, 'createdAt' | 'uuid'>>();
  /** The UUIDs of forms of which a submission was completed. */
  private readonly completed = new Set<string>();
  readonly respondents: ModelRespondents;
  private lastRecord = 0;
  private readonly remembered = new Map<string, { operation: string; answer: Expected }>();

  constructor(
    private readonly url: string,
    readonly forms: readonly ModelForm[],
  ) {
    this.respondents = new ModelRespondents(forms);
  }

  /** Checks errors in the order of docs/contract.md. Returns undefined if the model does not know the route. */
  answer(sent: Request, chosen: Chosen): Expected | undefined {
    const request = { ...sent, who: this.respondents.senderOf(sent.who) };
    try {
      if (request.path === undefined) refuse(400, 'The URL is malformed: check its percent-escapes.');
      const isGuarded = /\/(submissions|resume-codes|respondents\/me)/.test(request.route);
      if (isGuarded && request.who === 'nobody') refuse(401, 'Unauthenticated.');
      return this.answerers[request.route]?.(request, chosen);
    } catch (error) {
      if (error instanceof Refusal) return error.expected;
      throw error;
    }
  }

  private readonly answerers: Readonly<Record<string, Answerer>> = {
    'GET /health/live': () => ({ status: 200, body: { status: 'ok' } }),
    'GET /health/ready': () => ({
      status: 200,
      body: { status: 'ok', checks: { database: 'ok', migrations: 'ok' } },
    }),

    'GET /api/v1/forms': (request, chosen) => {
      const { page = '1', per_page = '15' } = request.query;
      const { locale } = request.query;
      refuseUnless({ page: isIntegerText(page, MAX_INTEGER), per_page: isIntegerText(per_page, 100) });
      refuseUnless(localeCheck(locale));
      const size = 'per_page' in request.query ? `&per_page=${Number(per_page)}` : '';
      const kept = size + (locale === undefined ? '' : `&locale=${tagOf(locale)}`);
      return this.published(request, chosen, this.page(Number(page), Number(per_page), kept));
    },
    'GET /api/v1/forms/{uuid}': (request, chosen) => {
      refuseUnless(localeCheck(request.query['locale']));
      return this.published(request, chosen, { data: this.formNamed(request).form });
    },
    'GET /api/v1/forms/{slug}/by-slug': (request, chosen) => {
      refuseUnless(localeCheck(request.query['locale']));
      const found = this.forms.find(({ form }) => form.slug === request.path?.['slug']);
      return this.published(request, chosen, { data: (found ?? refuse(404, 'Form not found.')).form });
    },
    'GET /api/v1/forms/{uuid}/schema': (request, chosen) => {
      const { version } = request.query;
      refuseUnless({ version: version === undefined || isIntegerText(version, MAX_INTEGER) });
      refuseUnless(localeCheck(request.query['locale']));
      const { form, schema } = this.formNamed(request);
      // Kept once a submission in the version was completed (N3), maybe by another run. No form changes during the fuzzing.
      const isCompleted = this.completed.has(form.uuid) || chosen.isDone;
      const isKept = Number(version) === schema.version && isCompleted;
      if (version !== undefined && !isKept) refuse(404, 'Version not found.');
      return this.published(request, chosen, { data: schema });
    },

    'GET /api/v1/forms/{uuid}/conditions': (request, chosen) => {
      const { scope: _, explain: __, ...query } = request.query;
      refuseUnless(conditionsChecks({ ...request, query }));
      const form = this.formNamed(request);
      return this.published(request, chosen, conditionsOf(emptySubmission('', request.who, form, ''), query));
    },

    'GET /api/v1/forms/{uuid}/challenge': (request) => {
      this.formNamed(request);
      return refuse(404, 'Challenge not found.');
    },
    'POST /api/v1/respondents': (request, { secret }) => this.respondents.create(request, secret),
    'POST /api/v1/resume-codes': (request, { secret }) => this.respondents.createCode(request, secret),
    'POST /api/v1/resume': (request, { secret }) => this.respondents.resume(request, secret),
    'DELETE /api/v1/respondents/me': (request) => this.respondents.end(request),

    'GET /api/v1/submissions': (request, chosen) => this.list(request, chosen),

    'POST /api/v1/submissions': (request, chosen) => {
      const given = readJson(request);
      refuseUnless(includeChecks(request));
      const { form_uuid, locale = null } = objectIn(given, failed(keyCheck(request)));
      const ofLocale = localeCheck(locale ?? undefined);
      refuseUnlessAny({ ...keyCheck(request), form_uuid: isText(form_uuid), ...ofLocale });
      const formUuid = String(form_uuid).toLowerCase();
      const tag = tagOf(locale) ?? null;
      const answer = this.once(request, `create ${formUuid} ${tag}`, () =>
        this.create(request, formUuid, tag, chosen),
      );
      return this.withConditions(answer, request, (answer.body as { data: { uuid: string } }).data.uuid);
    },

    'GET /api/v1/submissions/{uuid}': (request) => {
      nameOf(request);
      refuseUnless(includeChecks(request));
      const submission = this.own(request);
      const values = [...submission.values.values()].sort(byFieldAndRecord);
      const { records } = submission;
      return this.withConditions(answered(submission, { ...shown(submission), values, records }), request);
    },

    'DELETE /api/v1/submissions/{uuid}': (request) => {
      readJson(request);
      const submission = this.unchanged(request);
      refuseIfCompleted(submission);
      this.submissions.splice(this.submissions.indexOf(submission), 1);
      return { status: 204 };
    },

    'PATCH /api/v1/submissions/{uuid}': (request, chosen) => {
      const given = readJson(request);
      nameOf(request);
      const { status, meta, locale } = objectIn(given);
      refuseUnless({ status: isStatus(status), meta: isStorableMeta(meta) });
      refuseUnless(localeCheck(locale ?? undefined));
      const submission = this.unchanged(request);
      if (status === 'draft') refuseIfCompleted(submission);
      // The form's policy decides whether completion checks the values (S13).
      const isJudged = status === 'completed' && submission.status === 'draft';
      if (isJudged && submission.form.form.completion === 'strict') refuseIfAny(completionErrors(submission));
      // `{}` changes nothing (S5).
      if (status !== undefined) submission.status = status as ModelSubmission['status'];
      if (status === 'completed') this.completed.add(submission.form.form.uuid);
      if (meta !== undefined) submission.meta = meta;
      if (locale !== undefined) submission.locale = tagOf(locale) ?? null;
      if (status !== undefined || meta !== undefined || locale !== undefined) touch(submission, chosen.etag);
      return answered(submission, presented(submission));
    },

    'POST /api/v1/submissions/{uuid}/values': (request, chosen) => {
      const given = readJson(request);
      nameOf(request);
      refuseUnless(includeChecks(request));
      const { values } = objectIn(given);
      refuseIfWrong(mistakesIn(values));
      const entries = values as Record<string, unknown>[];
      const fields = namedFields(this.own(request).form, entries);
      const submission = this.unchanged(request);
      refuseIfCompleted(submission);
      refuseIfWrong(foreignRecords(submission.records, entries));
      const keys = entries.map(({ value, entity_record_id }, index) => {
        const { id, code, is_repeatable } = fields[index]!;
        const record = (entity_record_id ?? null) as number | null;
        const key = is_repeatable ? `${id} ${record}` : `${id}`; // V5
        const stored = { field_id: id, field_code: code, value: String(value), entity_record_id: record };
        submission.values.set(key, stored);
        return key;
      });
      touch(submission, chosen.etag);
      // The response has one value per entry. If two entries name the same value, the last one wins (V6).
      const stored = keys.map((key) => submission.values.get(key));
      return this.withConditions(answered(submission, stored), request);
    },

    'POST /api/v1/submissions/{uuid}/advance': (request, chosen) => {
      const next = (position: number, positions: readonly number[]) =>
        positions.find((other) => other > position) ?? 'Already on the last step.';
      return this.move(request, chosen, next, request.query['validate']);
    },
    'POST /api/v1/submissions/{uuid}/retreat': (request, chosen) => {
      const next = (position: number, positions: readonly number[]) =>
        positions.findLast((other) => other < position) ?? 'Already on the first step.';
      return this.move(request, chosen, next);
    },

    'GET /api/v1/submissions/{uuid}/validation': (request) => {
      nameOf(request);
      const { step } = request.query;
      refuseUnless({ step: step === undefined || isIntegerText(step, MAX_INTEGER) });
      const submission = this.own(request);
      const { steps } = submission.form.schema;
      const number = step === undefined ? undefined : Number(step);
      refuseUnless({ step: [undefined, ...steps.map(({ step_number }) => step_number)].includes(number) });
      const errors = completionErrors(submission, number);
      const validation = { valid: Object.keys(errors).length === 0, errors };
      if (!request.headers['Accept']?.includes('problem+json'))
        return { status: 200, body: withVersion(submission, validation) };
      const all = Object.entries(errors);
      const mistakes = all.flatMap(([field, details]) => details.map((detail) => ({ field, detail })));
      return { status: 200, body: withVersion(submission, { ...validation, mistakes }) };
    },

    'GET /api/v1/submissions/{uuid}/conditions': (request) => {
      nameOf(request);
      refuseUnless(conditionsChecks(request));
      return { status: 200, body: conditionsOf(this.own(request), request.query) };
    },

    'GET /api/v1/submissions/{uuid}/records': (request) => {
      nameOf(request);
      const { entity } = request.query;
      refuseUnless({ entity: !Array.isArray(entity) });
      const submission = this.own(request);
      const { form, records } = submission;
      if (entity !== undefined) entityNamed(form, String(entity));
      const data = records.filter((record) => entity === undefined || record.entity === entity);
      return { status: 200, body: withVersion(submission, data) };
    },

    'POST /api/v1/submissions/{uuid}/records': (request, chosen) => {
      const given = readJson(request);
      const uuid = nameOf(request);
      const { entity } = objectIn(given, failed(keyCheck(request)));
      refuseUnlessAny({ ...keyCheck(request), entity: isText(entity) });
      return this.once(request, `${request.route} ${uuid} ${String(entity)}`, () =>
        this.createRecord(request, String(entity), chosen),
      );
    },

    'DELETE /api/v1/submissions/{uuid}/records/{id}': (request, chosen) => {
      readJson(request);
      const id = recordIdOf(request);
      const { records, values } = this.own(request);
      const index = records.findIndex((record) => record.id === id);
      if (index < 0) refuse(404, 'Record not found.');
      const submission = this.unchanged(request);
      refuseIfCompleted(submission);
      records.splice(index, 1);
      for (const [key, { entity_record_id }] of values) if (entity_record_id === id) values.delete(key);
      touch(submission, chosen.etag);
      return { status: 204, etag: submission.etags.at(-1) };
    },
  };

  /** Adds the conditions if the request asks for them (V13). */
  private withConditions(answer: Expected, request: Request, uuid = nameOf(request)): Expected {
    return request.query['include'] === undefined
      ? answer
      : including(answer, this.ownNamed(uuid, request), request.query);
  }

  /** Lists submissions (O1, F3). The service chooses the cursors, so the model remembers where each of them leads. */
  private list({ who, query }: Request, { next }: Chosen): Expected {
    const { status, form_uuid, per_page = '15', cursor } = query;
    const after = typeof cursor === 'string' ? this.cursors.get(cursor) : undefined;
    refuseUnless({
      status: isStatus(status),
      form_uuid: form_uuid === undefined || isText(form_uuid),
      per_page: isIntegerText(per_page, 100),
      cursor: cursor === undefined || after !== undefined,
    });
    const formUuid = (form_uuid as string | undefined)?.toLowerCase();
    const form = this.forms.find(({ form }) => form.uuid === formUuid);
    refuseUnless({ form_uuid: formUuid === undefined || form !== undefined });
    const placeOf = (one: Pick<ModelSubmission, 'createdAt' | 'uuid'>) => `${one.createdAt} ${one.uuid}`;
    const listed = this.submissions
      .filter((one) => one.owner === who && (status === undefined || one.status === status))
      .filter((one) => form === undefined || one.form === form)
      .filter((one) => after === undefined || placeOf(one) < placeOf(after))
      .sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
    const page = listed.slice(0, Number(per_page));
    const body = (link: string | null) => ({
      data: page.map((one) => {
        const { uuid, name, slug } = one.form.form;
        return { ...shown(one), form: { uuid, name, slug } };
      }),
      links: { next: link },
      meta: { per_page: Number(per_page) },
    });
    const last = page.at(-1);
    if (last === undefined || page.length === listed.length) return { status: 200, body: body(null) };
    const size = query['per_page'] && Number(per_page);
    const kept = Object.entries({ status, form_uuid, per_page: size }).map(([name, value]) =>
      value === undefined ? '' : `${name}=${String(value)}&`,
    );
    const link = `${this.url}/api/v1/submissions?${kept.join('')}cursor=`;
    const nextCursor = next?.startsWith(link) ? next.slice(link.length) : 'a cursor';
    this.cursors.set(nextCursor, { createdAt: last.createdAt, uuid: last.uuid });
    return { status: 200, body: body(link + nextCursor) };
  }

  private formNamed({ path }: Request): ModelForm {
    const uuid = path?.['uuid']?.toLowerCase();
    return this.forms.find(({ form }) => form.uuid === uuid) ?? refuse(404, 'Form not found.');
  }

  /** A page of the list of forms (F1, F2, F3). */
  private page(page: number, size: number, kept: string): object {
    const listed = this.forms.map(({ form }) => form).filter(({ is_active }) => is_active);
    const last = Math.max(1, Math.ceil(listed.length / size));
    const link = (number: number) => `${this.url}/api/v1/forms?page=${number}${kept}`;
    return {
      data: listed.sort((a, b) => a.id - b.id).slice((page - 1) * size, page * size),
      links: {
        first: link(1),
        last: link(last),
        prev: page > 1 ? link(Math.min(page - 1, last)) : null,
        next: page < last ? link(page + 1) : null,
      },
      meta: { current_page: page, last_page: last, per_page: size, total: listed.length },
    };
  }

  /** The ETag stays the same, because the fuzzing changes no form (F10). */
  private published({ target, headers }: Request, chosen: Chosen, body: unknown): Expected {
    const etag = this.etags.get(target) ?? chosen.etag;
    this.etags.set(target, etag);
    const held = tagsIn(headers['If-None-Match']).map((tag) => tag.replace(/^W\//, ''));
    return held.includes('*') || held.includes(`"${etag}"`)
      ? { status: 304, etag }
      : { status: 200, etag, body };
  }

  /** Repeats the first response to an Idempotency-Key (S10). */
  private once({ who, headers }: Request, operation: string, carryOut: () => Expected): Expected {
    const key = headers['Idempotency-Key'];
    if (key === undefined) return carryOut();
    const first = this.remembered.get(`${who} ${key}`);
    if (first?.operation === operation) return first.answer;
    // If form_uuid is not a UUID, either error may be reported first.
    if (first !== undefined) refuseIfWrong([['Idempotency-Key', 'form_uuid']]);
    const answer = carryOut();
    this.remembered.set(`${who} ${key}`, { operation, answer });
    return answer;
  }

  private create(
    { who }: Request,
    formUuid: string,
    locale: string | null,
    { uuid, etag }: Chosen,
  ): Expected {
    const form = this.forms.find(({ form: { uuid, is_active } }) => uuid === formUuid && is_active);
    const drafts = this.submissions.filter(({ owner, status }) => owner === who && status === 'draft');
    if (form === undefined || !this.respondents.mayBegin(who, form, drafts.length))
      return refuseName('form_uuid');
    const isNew = this.submissions.every((other) => other.uuid !== uuid);
    const submission = emptySubmission(isNew ? uuid : 'a new one', who, form, etag);
    submission.locale = locale;
    this.submissions.push(submission);
    return {
      ...answered(submission, shown(submission)),
      status: 201,
      location: `${this.url}/api/v1/submissions/${submission.uuid}`,
    };
  }

  /** Creates a record (R1 to R3). */
  private createRecord(request: Request, name: string, { record, etag }: Chosen): Expected {
    const { form, records } = this.own(request);
    const { is_repeatable, max_records } = entityNamed(form, name);
    const submission = this.unchanged(request);
    refuseIfCompleted(submission);
    const most = max_records ?? (is_repeatable ? MAX_RECORDS : 1);
    const isFull = records.filter(({ entity }) => entity === name).length >= most;
    refuseUnless({ entity: !isFull && records.length < MAX_RECORDS });
    const isNew = record.id > this.lastRecord;
    const isTime = record.created_at >= submission.createdAt && record.created_at <= etag;
    const id = isNew ? record.id : this.lastRecord + 1;
    this.lastRecord = id;
    const data = { id, entity: name, created_at: isTime ? record.created_at : 'a time until now' };
    records.push(data);
    touch(submission, etag);
    return {
      ...answered(submission, data),
      status: 201,
      location: `${this.url}/api/v1/submissions/${submission.uuid}/records/${id}`,
    };
  }

  /**
   * Changes the step (S7, S8, S12). `next` returns a position among those that count, or the message of the error. With
   * `skip=hidden`, only steps count that are visible and have a visible field (C13).
   */
  private move(
    request: Request,
    chosen: Chosen,
    next: (position: number, positions: readonly number[]) => number | string,
    validate: unknown = 'false',
  ): Expected {
    readJson(request);
    const uuid = nameOf(request);
    const { skip } = request.query;
    refuseUnlessAny({
      validate: validate === 'true' || validate === 'false',
      skip: skip === undefined || skip === 'hidden',
      ...includeChecks(request),
      ...keyCheck(request),
    });
    const validates = validate === 'true';
    const operation = `${request.route} ${uuid} ${validates} ${String(skip)}`;
    const answer = this.once(request, operation, () => {
      const submission = this.unchanged(request);
      refuseIfCompleted(submission);
      const positions = stepsOf(submission).flatMap(({ is_visible, has_visible_fields }, index) =>
        skip === undefined || (is_visible && has_visible_fields) ? [index + 1] : [],
      );
      const position = next(submission.currentStep, positions);
      if (typeof position === 'string') refuse(422, position);
      const stepNumber = submission.form.schema.steps[submission.currentStep - 1]?.step_number;
      if (validates) refuseIfAny(completionErrors(submission, stepNumber));
      submission.currentStep = position;
      touch(submission, chosen.etag);
      const passed = positions.indexOf(position) + 1;
      return answered(submission, {
        uuid,
        current_step: position,
        status: submission.status,
        is_last_step: passed === positions.length,
        progress_percentage: Math.round((100 * passed) / positions.length),
      });
    });
    return this.withConditions(answer, request);
  }

  /** The submission, if it belongs to the sender (S1). */
  private own(request: Request): ModelSubmission {
    return this.ownNamed(nameOf(request), request);
  }

  private ownNamed(uuid: string, { who }: Request): ModelSubmission {
    const found = this.submissions.find((other) => other.uuid === uuid && other.owner === who);
    return found ?? refuse(404, 'Submission not found.');
  }

  /** The submission, if it matches `If-Match`. A weak ETag never matches (S11). */
  private unchanged(request: Request): ModelSubmission {
    const submission = this.own(request);
    const header = request.headers['If-Match'];
    const isExpected = header === '*' || tagsIn(header).includes(`"${submission.etags.at(-1)}"`);
    if (header === undefined || isExpected) return submission;
    return refuse(412, 'The submission has changed since; read it again and repeat with its new ETag.');
  }
}

/** The entity of this name; 422 if the form has none (R2). */
const entityNamed = ({ schema }: ModelForm, name: string): ModelEntity =>
  schema.entities.find((entity) => entity.name === name) ?? refuseName('entity');

const emptySubmission = (uuid: string, owner: Sender, form: ModelForm, etag: string): ModelSubmission => ({
  ...{ uuid, owner, form, records: [], createdAt: etag, etags: [etag], status: 'draft', currentStep: 1 },
  ...{ meta: null, locale: null, values: new Map() },
});
