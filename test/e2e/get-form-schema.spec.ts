import { randomUUID } from 'node:crypto';
import { Condition, Field, FieldType, Form, Option, Step } from '../../src/entities.js';
import { etagOf } from '../support/answers.js';
import type { Answer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { buildForm } from '../support/forms.js';
import { expectRefusal } from '../support/refusal.js';
import { useService } from '../support/service.js';

const schemaOf = (form: Form) => `/api/v1/forms/${form.uuid}/schema`;

describe('GET /api/v1/forms/{uuid}/schema', () => {
  const use = useService();

  const fieldType = (name: string) => use.database.dataSource.manager.findOneByOrFail(FieldType, { name });

  /** Inserts all rows in another order than that of the schema. */
  async function writeEverything() {
    const { manager } = use.database.dataSource;
    const form = await manager.save(
      manager.create(Form, {
        name: 'Everything',
        slug: `everything-${randomUUID()}`,
        description: 'All keys.',
        isActive: false,
      }),
    );
    const step = (stepNumber: number, title: string, more: Partial<Step> = {}) =>
      manager.save(manager.create(Step, { formId: form.id, stepNumber, title, ...more }));
    const last = await step(30, 'Last');
    const second = await step(7, 'Second', { isVisible: false, description: 'Hidden.' });
    const first = await step(2, 'First', { meta: { icon: 'user', nested: { list: [1, null, 'x'] } } });

    const [text, select, unknown] = [
      await fieldType('text'),
      await fieldType('select'),
      await manager.save(
        manager.create(FieldType, { name: `signature ${form.id}`, component: 'signature-input' }),
      ),
    ];
    const field = (of: Step, code: string, order: number, type: FieldType, more: Partial<Field> = {}) =>
      manager.save(
        manager.create(Field, {
          stepId: of.id,
          code,
          label: `The ${code}`,
          order,
          fieldTypeId: type.id,
          ...more,
        }),
      );
    const late = await field(first, 'late', 5, text);
    const tiedOne = await field(first, 'tied_one', 3, unknown);
    const tiedTwo = await field(first, 'tied_two', 3, text);
    const early = await field(first, 'early', -1, select, {
      placeholder: 'Choose',
      description: 'One of these',
      isRequired: true,
      isRepeatable: true,
      defaultValue: 'b',
      meta: { nested: [{ a: null }], autocomplete: 'tel' },
    });
    const hidden = await field(second, 'hidden', 1, text);

    const option = (value: string, order: number) =>
      manager.save(manager.create(Option, { fieldId: early.id, label: value.toUpperCase(), value, order }));
    await option('z', 9);
    await option('b', 2);
    await option('a', 2);
    await option('y', 1);

    const condition = (of: Field, on: Field, more: Pick<Condition, 'operator' | 'action' | 'value'>) =>
      manager.save(manager.create(Condition, { fieldId: of.id, dependsOnFieldId: on.id, ...more }));
    await condition(late, hidden, { operator: 'not_empty', value: '', action: 'show' });
    await condition(late, early, { operator: 'in', value: 'a, b', action: 'require' });
    await condition(late, tiedTwo, { operator: 'equals', value: 'x', action: 'hide' });

    const { version } = await manager.findOneByOrFail(Form, { id: form.id });
    return { form, version, first, second, last, early, tiedOne, tiedTwo, late, hidden };
  }

  it('returns the whole form in one response, in order, with every key (F4, F7, F11)', async () => {
    const built = await writeEverything();
    const { form, version, first, second, last, early, tiedOne, tiedTwo, late, hidden } = built;

    const answer = await use.service.anyone.get(schemaOf(form));

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const plain = (field: Field) => ({
      id: field.id,
      code: field.code,
      label: `The ${field.code}`,
      placeholder: null,
      description: null,
      is_required: false,
      is_repeatable: false,
      default_value: null,
      max_bytes: null,
      accept: null,
      meta: null,
      order: field.order,
      field_type: { name: 'text', component: 'text-input' },
      entity: null,
      options: [],
      conditions: [],
      rules: [],
    });
    const expected = {
      data: {
        uuid: form.uuid,
        name: 'Everything',
        slug: form.slug,
        description: 'All keys.',
        is_active: false,
        version,
        completion: null,
        access: 'token',
        proof_of_work: null,
        time_zone: null,
        steps: [
          {
            id: first.id,
            step_number: 2,
            title: 'First',
            description: '',
            is_visible: true,
            meta: { icon: 'user', nested: { list: [1, null, 'x'] } },
            fields: [
              {
                id: early.id,
                code: 'early',
                label: 'The early',
                placeholder: 'Choose',
                description: 'One of these',
                is_required: true,
                is_repeatable: true,
                default_value: 'b',
                max_bytes: null,
                accept: null,
                meta: { nested: [{ a: null }], autocomplete: 'tel' },
                order: -1,
                field_type: { name: 'select', component: 'select-input' },
                entity: null,
                options: [
                  { label: 'Y', value: 'y', order: 1 },
                  { label: 'B', value: 'b', order: 2 },
                  { label: 'A', value: 'a', order: 2 },
                  { label: 'Z', value: 'z', order: 9 },
                ],
                conditions: [],
                rules: [],
              },
              {
                ...plain(tiedOne),
                field_type: { name: `signature ${form.id}`, component: 'signature-input' },
              },
              plain(tiedTwo),
              {
                ...plain(late),
                conditions: [
                  {
                    depends_on_field_id: hidden.id,
                    depends_on_field_code: 'hidden',
                    operator: 'not_empty',
                    value: '',
                    action: 'show',
                    group: null,
                  },
                  {
                    depends_on_field_id: early.id,
                    depends_on_field_code: 'early',
                    operator: 'in',
                    value: 'a, b',
                    action: 'require',
                    group: null,
                  },
                  {
                    depends_on_field_id: tiedTwo.id,
                    depends_on_field_code: 'tied_two',
                    operator: 'equals',
                    value: 'x',
                    action: 'hide',
                    group: null,
                  },
                ],
              },
            ],
            conditions: [],
          },
          {
            id: second.id,
            step_number: 7,
            title: 'Second',
            description: 'Hidden.',
            is_visible: false,
            meta: null,
            fields: [plain(hidden)],
            conditions: [],
          },
          {
            id: last.id,
            step_number: 30,
            title: 'Last',
            description: '',
            is_visible: true,
            meta: null,
            fields: [],
            conditions: [],
          },
        ],
        entities: [],
      },
    };
    expect(answer.body).toEqual(expected);
    // Comparing the text also compares the order of the keys.
    expect(JSON.stringify(answer.body)).toBe(JSON.stringify(expected));
  });

  it('sorts rows by order and id, not by their place in the table (F7)', async () => {
    const { dataSource } = use.database;
    const { form, steps, fields } = await buildForm(dataSource, {
      steps: [{ a: { options: ['1', '2', '3'] }, b: {}, c: {} }, { d: {} }],
    });
    const [first, second] = steps;
    // Swap the step numbers in one transaction, because they need not be unique before its end.
    await dataSource.transaction(async (manager) => {
      await manager.query('set constraints all deferred');
      await manager.query(`update steps set step_number = 2 where id = $1`, [first?.id]);
      await manager.query(`update steps set step_number = 1 where id = $1`, [second?.id]);
    });
    await dataSource.query(`update fields set "order" = 1 where form_id = $1`, [form.id]);
    await dataSource.query(`update fields set label = 'A' where id = $1`, [fields['a']?.id]);
    await dataSource.query(`update options set "order" = 3 - "order" where field_id = $1`, [fields['a']?.id]);

    const { body } = await use.service.anyone.get(schemaOf(form));

    expect(body.data.steps.map(({ id }: Step) => id)).toEqual([second?.id, first?.id]);
    expect(body.data.steps[1].fields.map(({ code }: Field) => code)).toEqual(['a', 'b', 'c']);
    expect(body.data.steps[1].fields[0].options.map(({ value }: Option) => value)).toEqual(['3', '2', '1']);
  });

  it.each(['hidden', 'only'])(
    'includes a step that is not visible, even as the %s step (F7)',
    async (which) => {
      const { form } = await buildForm(use.database.dataSource, {
        steps: which === 'only' ? [{ a: {} }] : [{}, { a: {} }],
      });
      await use.database.dataSource.query(`update steps set is_visible = false where form_id = $1`, [
        form.id,
      ]);

      const { body } = await use.service.anyone.get(schemaOf(form));

      const { steps } = body.data;
      expect(steps.at(-1)).toMatchObject({ is_visible: false, fields: [{ code: 'a' }] });
    },
  );

  it('returns an empty list of steps for a form without steps', async () => {
    const { form } = await buildForm(use.database.dataSource, {
      steps: [],
      form: { description: 'Nothing yet' },
    });

    const answer = await use.service.anyone.get(schemaOf(form));

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        uuid: form.uuid,
        name: form.name,
        slug: form.slug,
        description: 'Nothing yet',
        is_active: true,
        version: 1,
        completion: null,
        access: 'token',
        proof_of_work: null,
        time_zone: null,
        steps: [],
        entities: [],
      },
    });
  });

  it('includes fields with codes such as constructor and __proto__, and a field that depends on itself', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      steps: [
        { constructor: {}, ['__proto__']: {}, itself: { conditions: [['itself', 'empty', '', 'hide']] } },
      ],
    });

    const { body } = await use.service.anyone.get(schemaOf(form));

    const [step] = body.data.steps;
    expect(step.fields.map(({ code }: Field) => code)).toEqual(['constructor', '__proto__', 'itself']);
    expect(step.fields[2].conditions).toEqual([
      {
        depends_on_field_id: fields['itself']?.id,
        depends_on_field_code: 'itself',
        operator: 'empty',
        value: '',
        action: 'hide',
        group: null,
      },
    ]);
  });

  it('returns the schema of an inactive form (F4) for a UUID in any letter case (F6)', async () => {
    const { form } = await buildForm(use.database.dataSource, { form: { isActive: false } });
    const asStored = await use.service.anyone.get(schemaOf(form));

    const answer = await use.service.anyone.get(`/api/v1/forms/${form.uuid.toUpperCase()}/schema`);

    expect(answer.status).toBe(200);
    expect(answer.body.data.is_active).toBe(false);
    expect(answer.body).toEqual(asStored.body);
  });

  it.each([randomUUID(), 'abc', '%00', 'everything', '00000000-0000-0000-0000-00000000000g'])(
    'returns 404 for %s, which is not the UUID of a form (F6)',
    async (uuid) => {
      expectRefusal(await use.service.anyone.get(`/api/v1/forms/${uuid}/schema`), 404);
    },
  );

  it('returns 304 for a current ETag, and 200 after any change of the schema (F10)', async () => {
    const { dataSource } = use.database;
    const { form, fields } = await buildForm(dataSource, {
      steps: [{ a: { type: 'select', options: ['x'] }, b: { conditions: [['a', 'equals', 'x', 'show']] } }],
    });
    const first = await use.service.anyone.get(schemaOf(form));
    const etag = etagOf(first);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    for (const known of [etag, `W/${etag}`, '*', `"other", W/${etag}`]) {
      const answer = await use.service.anyone.get(schemaOf(form), { 'If-None-Match': known });
      expect([known, answer.status, answer.body]).toEqual([known, 304, undefined]);
      expect(answer.headers.get('etag')).toBe(etag);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
    }
    const { headers } = await use.service.anyone.get(`/api/v1/forms/${form.uuid}`);
    expect(headers.get('etag')).not.toBe(etag);

    const seen = [first];
    for (const change of [
      `update options set label = 'New' where field_id = ${fields['a']?.id}`,
      `update conditions set value = 'y' where form_id = ${form.id}`,
      `delete from fields where id = ${fields['b']?.id}`,
    ]) {
      await dataSource.query(change);
      const known: Answer = seen.at(-1)!;
      const changed = await eventually('the change is served', async () => {
        const answer = await use.service.anyone.get(schemaOf(form), { 'If-None-Match': etagOf(known) });
        return answer.status !== 304 && answer;
      });
      expect(changed.status).toBe(200);
      expect(changed.body.data.version).toBe(Number(known.body.data.version) + 1);
      seen.push(changed);
    }
  });
});
