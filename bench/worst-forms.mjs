import { randomUUID } from 'node:crypto';

/** The most fields that a form should have. */
const MANY_FIELDS = 10_000;

/** With 200 records, a submission has 1,000 computed values, which is the most. */
const COMPUTED_IN_RECORD = 4;
const COMPUTED_ONCE = 200;

/** Creates forms and submissions at the limits of the contract (V9, R3, J2) with SQL. */
export async function createWorst({ client }) {
  const rows = async (text, values) => (await client.query(text, values)).rows;
  const [{ user }] = await rows('select id as user from users');

  async function form(fields, { entity = false, rule, condition, steps = 1, stepConditions = 0 } = {}) {
    const slug = `worst-${randomUUID()}`;
    const [{ id, uuid }] = await rows('insert into forms (name, slug) values ($1, $1) returning id, uuid', [
      slug,
    ]);
    await client.query(
      `insert into steps (form_id, step_number, title) select $1, n, 'Step' from generate_series(1, $2) n`,
      [id, steps],
    );
    const [{ owner }] = entity
      ? await rows(
          `insert into entities (form_id, name, label, is_repeatable) values ($1, 'thing', 'Thing', true) returning id as owner`,
          [id],
        )
      : [{ owner: null }];
    await client.query(
      `insert into fields (form_id, step_id, entity_id, field_type_id, code, label, "order", is_repeatable)
       select $1, steps.id, $2, (select id from field_types where name = 'textarea'), 'field_' || n, 'Field', n, $2::integer is not null
         from generate_series(1, $3) n join steps on steps.form_id = $1 and step_number = (n - 1) * $4::integer / $3::integer + 1`,
      [id, owner, fields, steps],
    );
    if (condition !== undefined)
      await client.query(
        `insert into conditions (form_id, field_id, depends_on_field_id, operator, value, action)
         select form_id, id, (select min(id) from fields where form_id = $1), $2, $3, 'show' from fields where form_id = $1`,
        [id, ...condition],
      );
    if (stepConditions > 0)
      // None of them is met, so all steps are hidden, except the last of several.
      await client.query(
        `insert into conditions (form_id, step_id, depends_on_field_id, operator, value, action)
         select form_id, steps.id, (select min(id) from fields where form_id = $1), 'equals', 'yes ' || n,
                (case when step_number = 1 or step_number < $2::integer then 'show' else 'hide' end)::condition_action
           from steps, generate_series(1, $3) n where form_id = $1`,
        [id, steps, stepConditions],
      );
    if (rule !== undefined)
      await client.query(
        `insert into field_rules (field_id, kind, value) select id, 'pattern', $2 from fields where form_id = $1`,
        [id, rule],
      );
    return { id, uuid, owner };
  }

  async function submission(of, records = 0) {
    const uuid = randomUUID();
    await client.query('insert into submissions (uuid, form_id, user_id) values ($1, $2, $3)', [
      uuid,
      of.id,
      user,
    ]);
    await client.query(
      `insert into entity_records (submission_uuid, form_id, entity_id) select $1, $2, $3 from generate_series(1, $4)`,
      [uuid, of.id, of.owner, records],
    );
    return `/api/v1/submissions/${uuid}`;
  }

  /** Stores the text in the first `fields` fields of a submission, in each record if the fields repeat. */
  async function fill(path, text, fields = MANY_FIELDS) {
    await client.query(
      `insert into submission_values (submission_uuid, form_id, field_id, is_repeatable, entity_record_id, value)
       select submissions.uuid, numbered.form_id, numbered.id, is_repeatable, entity_records.id, $2
         from submissions
         join (select *, row_number() over (partition by form_id order by id) as number from fields) numbered on numbered.form_id = submissions.form_id
         left join entity_records on submission_uuid = submissions.uuid and entity_records.entity_id = numbered.entity_id
        where submissions.uuid = $1 and number <= $3`,
      [path.split('/').at(-1), text, fields],
    );
  }

  /** Computes all fields after the first `given` ones, from all of these. The last ones have one value each. */
  async function compute({ id }, given) {
    const of = Array.from({ length: given - 1 }, (_, index) => `field_${index + 1}`);
    await client.query(
      `update fields set entity_id = case when "order" <= $2 then entity_id end, is_repeatable = "order" <= $2,
              computed = json_build_object('op', (array['average', 'sum', 'max', 'count'])[1 + "order" % 4], 'of', $3::json)
        where form_id = $1 and "order" > $4`,
      [id, given + COMPUTED_IN_RECORD, JSON.stringify(of), given],
    );
  }

  const large = await form(MANY_FIELDS, { condition: ['equals', 'yes'] });
  const ofLarge = await submission(large);
  await client.query(
    `insert into translations (form_id, locale, field_id, key, text)
     select form_id, 'de', id, 'label', 'Frage ' || id from fields where form_id = $1`,
    [large.id],
  );

  const stepped = await form(MANY_FIELDS, {
    ...{ condition: ['not_equals', 'yes'], steps: 1_000, stepConditions: 1 },
  });
  const ofStepped = await submission(stepped);
  const crowded = await form(MANY_FIELDS, { stepConditions: 1_000 });
  const ofCrowded = await submission(crowded);

  const grouped = await form(100, { entity: true, condition: ['not_equals', 'no'] });
  const ofGrouped = await submission(grouped, 200);

  const wide = await form(50, { entity: true });
  const full = await submission(wide, 200);
  await fill(full, 'a'.repeat(209));
  const escaped = await submission(wide, 200);
  await fill(escaped, '\u0001'.repeat(34));

  const ruled = await form(1, { entity: true, rule: '.*a.{400}c' });
  const matched = await submission(ruled, 200);
  await fill(matched, Array.from({ length: 615 }, () => (Math.random() < 0.5 ? 'a' : 'b')).join(''));

  const words = await form(32, { rule: '\\s*(\\S+\\s+){0,99}\\S*' });
  const long = await submission(words);
  await fill(long, 'ab '.repeat(21_844));

  const searching = await form(2_000, { condition: ['contains', 'ac'] });
  await client.query(`update conditions set value = 'ac' || id where form_id = $1 and id % 2 = 0`, [
    searching.id,
  ]);
  const searched = await submission(searching);
  await fill(searched, 'a'.repeat(65_535), 1);

  const compared = await form(2_000, { condition: ['contains', ''] });
  await client.query(
    `update conditions set value_field_id = (select min(id) from fields where form_id = $1) + id % 200 where form_id = $1`,
    [compared.id],
  );
  const together = await submission(compared);
  await fill(together, `${'a'.repeat(9_000)}b`, 200);

  const computing = await form(50 + COMPUTED_IN_RECORD + COMPUTED_ONCE, { entity: true });
  const calculated = await submission(computing, 200);
  await fill(calculated, '7'.repeat(209), 50);
  await compute(computing, 50);

  const plain = await form(600);
  const small = await submission(plain);
  await fill(small, 'a', 5);
  return {
    large: `/api/v1/forms/${large.uuid}`,
    change: () => client.query(`update forms set description = description || '.' where id = $1`, [large.id]),
    restart: () => client.query('update submissions set current_step = 1'),
    ...{
      ofLarge,
      ofStepped,
      ofCrowded,
      ofGrouped,
      full,
      escaped,
      matched,
      long,
      searched,
      together,
      calculated,
      small,
      empty: await submission(plain),
    },
  };
}
