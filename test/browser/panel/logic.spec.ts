import { Condition, Field, FieldRule, type Form, Option } from '../../../src/entities.js';
import { createDraft } from '../../support/drafts.js';
import { buildForm } from '../../support/forms.js';
import { newUser } from '../../support/service.js';
import { describeInBrowser } from '../support/chromium.js';
import { Inputs, type PanelPage } from './support/panel-page.js';
import { usePanel, usePanelPage } from './support/use-panel.js';

const { use, panel, managerOf } = usePanel();

describeInBrowser('the logic of a form in the panel', () => {
  const { logIn } = usePanelPage(panel);

  const openField = (page: PanelPage, { id }: Field) => page.open('Edit field', `fields/records/${id}/edit`);

  async function save(page: PanelPage, { name }: Form): Promise<void> {
    await page.press('Save');
    await page.heading(`${name} — Form`).waitFor();
  }

  const inWords = ({ page }: PanelPage, property: string) => page.getByTestId(`${property}-in-words`);

  /** Chooses a part of a formula. */
  const choosePart = (page: PanelPage, name: string, number: number, choice: string) =>
    new Inputs(page.row(name, number)).choose(`${name} ${number}`, choice);

  async function offered(page: PanelPage, inputs: Inputs, label: string): Promise<string[]> {
    await inputs.input(label).click();
    const texts = await page.page.getByRole('option').allInnerTexts();
    await page.page.keyboard.press('Escape');
    return texts;
  }

  it('computes a total from choices only, and says so in words', async () => {
    const line = { type: 'number', isRepeatable: true };
    const built = await buildForm(use.database.dataSource, {
      form: { name: 'Order' },
      steps: [
        {
          item: { label: 'Item', isRepeatable: true },
          price: { ...line, label: 'Price' },
          count: { ...line, label: 'How many?' },
          line_total: { ...line, label: 'Line total' },
        },
        {
          delivery: { type: 'radio', label: 'Delivery', options: ['0', '5'] },
          wanted: { type: 'date', label: 'Wanted on' },
          total: { type: 'number', label: 'Total' },
        },
      ],
      entities: [{ name: 'line', isRepeatable: true, of: ['item', 'price', 'count', 'line_total'] }],
    });
    const { form, fields } = built;
    const formulaOf = async (code: string) =>
      (await managerOf().findOneByOrFail(Field, { id: fields[code]!.id })).computed;
    const page = await logIn();
    await openField(page, fields['line_total']!);
    await page.choose('Computed', 'Multiply');
    // Dates are no numbers, and a field cannot be computed from itself.
    const first = new Inputs(page.row('Number', 1));
    expect(await offered(page, first, 'Number 1')).toEqual([
      ...['A number', 'A calculation', 'Item', 'Price', 'How many?', 'Delivery', 'Total'],
    ]);
    await choosePart(page, 'Number', 1, 'Price');
    await page.press('Add number');
    await inWords(page, 'computed').getByText('Computed: Price times …', { exact: true }).waitFor();
    await page.press('Save');
    await page.property('computed').getByText('Each part of a formula has to be a field').waitFor();
    await choosePart(page, 'Number', 2, 'How many?');
    await save(page, form);
    await page.page.getByText('Computed: Price times “How many?”', { exact: true }).waitFor();
    expect(await formulaOf('line_total')).toEqual({ op: 'product', of: ['price', 'count'] });

    await openField(page, fields['total']!);
    await page.choose('Computed', 'Round');
    await page.fill({ 'Decimal places': '1' });
    const rounded = page.page.getByRole('group', { name: 'Number', exact: true });
    await new Inputs(rounded).choose('Number', 'A calculation');
    await choosePart(page, 'Number', 1, 'Line total');
    await page.press('Add number');
    await choosePart(page, 'Number', 2, 'Delivery');
    await page.press('Add number');
    await choosePart(page, 'Number', 3, 'A number');
    await page.fill({ 'Value of Number 3': '0.55' });
    const sentence = 'Computed: (the sum of Line total, Delivery and 0.55) rounded to 1 decimal place';
    await inWords(page, 'computed').getByText(sentence, { exact: true }).waitFor();
    await save(page, form);
    await page.page.getByText(sentence, { exact: true }).waitFor();
    expect(await formulaOf('total')).toEqual({
      ...{ op: 'round', scale: 1 },
      of: [{ op: 'sum', of: ['line_total', 'delivery', { value: '0.55' }] }],
    });

    const { client } = await newUser(use);
    const { path } = await createDraft(client, built);
    for (const [price, count] of [
      ['1.25', '4'],
      ['10', '2'],
    ]) {
      const { body } = await client.post(`${path}/records`, { entity: 'line' });
      const entity_record_id = body.data.id;
      await client.post(`${path}/values`, {
        values: [
          { field_code: 'price', value: price, entity_record_id },
          { field_code: 'count', value: count, entity_record_id },
        ],
      });
    }
    await client.post(`${path}/values`, { values: [{ field_code: 'delivery', value: '5' }] });
    const { body } = await client.get(`${path}/conditions?computed=true`);
    expect(body.computed.map(({ field_code, value }: any) => [field_code, value])).toEqual(
      expect.arrayContaining([
        ['line_total', '5'],
        ['line_total', '20'],
        ['total', '30.6'],
      ]),
    );

    await openField(page, fields['line_total']!);
    await page.press('Remove Number 2');
    await choosePart(page, 'Number', 1, 'Total');
    await page.press('Save');
    await page.property('computed').getByText('computed from this one').waitFor();
    await page.choose('Computed', 'Not computed: people fill it in');
    await save(page, form);
    expect(await formulaOf('line_total')).toBeNull();
    await page.open('Total — Field', `fields/records/${fields['total']!.id}/show`);
    await page.page.getByText(sentence, { exact: true }).waitFor();
  });

  it('compares a date with another answer, or with a distance from today', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      form: { name: 'Stay' },
      steps: [
        {
          name: { type: 'email', label: 'Email address' },
          again: { type: 'email', label: 'Email address, again' },
          arrival: { type: 'date', label: 'Arrival' },
          nights: { type: 'number', label: 'Nights' },
          departure: { type: 'date', label: 'Departure' },
        },
      ],
    });
    const rulesOf = async (code: string) =>
      (await managerOf().findBy(FieldRule, { fieldId: fields[code]!.id })).map(
        ({ kind, value, otherFieldId, offsetDays }) => [kind, value, otherFieldId, offsetDays],
      );
    const page = await logIn();
    await openField(page, fields['departure']!);
    const rule = await page.add('Rule', 1);
    expect(await offered(page, rule, 'Kind')).toEqual([
      ...['Pattern', 'Earliest date', 'Latest date', 'Same as', 'Different from'],
    ]);
    await rule.choose('Kind', 'Earliest date');
    expect(await offered(page, rule, 'Compare with')).toEqual([...['a value', 'Arrival']]);
    await rule.choose('Compare with', 'Arrival');
    expect(await rule.input('Value').count()).toBe(0);
    await rule.fill({ 'Days after it': '1' });
    await rule.input('Days after it').blur();
    const sentence = 'Not before the answer to Arrival plus 1 day';
    await inWords(page, 'rules').getByText(sentence, { exact: true }).waitFor();
    const latest = await page.add('Rule', 2);
    await latest.choose('Kind', 'Latest date');
    await latest.choose('Value', 'after today');
    await latest.fill({ Distance: '18' });
    await latest.choose('Unit', 'months');
    await inWords(page, 'rules').getByText('Not after today plus 18 months', { exact: true }).waitFor();
    await save(page, form);
    expect(await rulesOf('departure')).toEqual([
      ['min_date', null, fields['arrival']!.id, 1],
      ['max_date', 'today+18m', null, null],
    ]);
    await page.open('Departure — Field', `fields/records/${fields['departure']!.id}/show`);
    await page.page.getByText(sentence, { exact: true }).waitFor();

    // The field may be chosen again, and the distance goes with it.
    await openField(page, fields['departure']!);
    const stored = new Inputs(page.row('Rule', 1));
    await stored.choose('Compare with', 'a value');
    await stored.fill({ Date: '2026-11-21' });
    await save(page, form);
    expect((await rulesOf('departure')).sort()).toEqual([
      ['max_date', 'today+18m', null, null],
      ['min_date', '2026-11-21', null, null],
    ]);

    await openField(page, fields['again']!);
    const same = await page.add('Rule', 1);
    await same.choose('Kind', 'Same as');
    await page.press('Save');
    await same.input('Compare with').waitFor();
    await page.row('Rule', 1).getByText('choose a field to compare with').waitFor();
    await same.choose('Compare with', 'Email address');
    await save(page, form);
    expect(await rulesOf('again')).toEqual([['equal', null, fields['name']!.id, null]]);
    await page.open('Edit field Email address', `fields/records/${fields['name']!.id}/edit`);
    await page.follow('Delete');
    await page.press('Confirm');
    await page.page.getByText('A field with which rules compare cannot be deleted.').waitFor();
  });

  it('marks the option that excludes the others, for choices of several only', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      form: { name: 'Food' },
      steps: [
        {
          allergies: { type: 'checkbox', label: 'Allergies', options: ['nuts', 'none'] },
          menu: { type: 'radio', label: 'Menu', options: ['a', 'b'] },
        },
      ],
    });
    const page = await logIn();
    await openField(page, fields['menu']!);
    await page.row('Option', 2).waitFor();
    expect(await page.page.getByText('Excludes the others').count()).toBe(0);
    await openField(page, fields['allergies']!);
    await new Inputs(page.row('Option', 2)).tick('Excludes the others');
    await save(page, form);
    const options = await managerOf().find(Option, {
      where: { fieldId: fields['allergies']!.id },
      order: { order: 'asc' },
    });
    expect(options.map(({ value, isExclusive }) => [value, isExclusive])).toEqual([
      ['nuts', false],
      ['none', true],
    ]);
  });

  it('tests an answer against another one, and a date against today, with operators that fit', async () => {
    const { form, fields } = await buildForm(use.database.dataSource, {
      form: { name: 'Group' },
      steps: [
        {
          adults: { type: 'number', label: 'Adults' },
          children: { type: 'number', label: 'Children' },
          born: { type: 'date', label: 'Born on' },
          likes: { type: 'checkbox', label: 'Likes', options: ['tea', 'milk'] },
          note: { label: 'Note' },
        },
      ],
    });
    const page = await logIn();
    await openField(page, fields['note']!);
    const first = await page.add('Condition', 1);
    await first.choose('If field', 'Children');
    await first.choose('Operator', 'is at least');
    await first.fill({ Value: '3' });
    expect(await offered(page, first, 'Compare with')).toEqual([...['a value', 'Adults']]);
    await first.choose('Compare with', 'Adults');
    expect(await first.input('Value').count()).toBe(0);
    const second = await page.add('Condition', 2);
    await second.choose('If field', 'Born on');
    expect(await offered(page, second, 'Operator')).toEqual([
      ...['is', 'is not', 'is one of', 'is none of', 'is empty', 'is not empty'],
      ...['is before', 'is after', 'is on or before', 'is on or after'],
    ]);
    await second.choose('Operator', 'is after');
    await second.choose('Value', 'before today');
    await second.fill({ Distance: '18' });
    await second.choose('Unit', 'years');
    const third = await page.add('Condition', 3);
    await third.choose('Effect', 'Hide');
    await third.choose('If field', 'Likes');
    await third.choose('Operator', 'does not include');
    await third.choose('Value', 'milk');
    const sentences = [
      'Show if Children is at least the answer to Adults, or if Born on is after today minus 18 years',
      'Hide if Likes does not include milk',
    ];
    for (const sentence of sentences)
      await inWords(page, 'conditions').getByText(sentence, { exact: true }).waitFor();
    await save(page, form);
    for (const sentence of sentences) await page.page.getByText(sentence, { exact: true }).waitFor();
    const conditions = () =>
      managerOf().find(Condition, { where: { fieldId: fields['note']!.id }, order: { id: 'asc' } });
    expect(
      (await conditions()).map(({ operator, value, valueFieldId }) => [operator, value, valueFieldId]),
    ).toEqual([
      ['at_least', '', fields['adults']!.id],
      ['after', 'today-18y', null],
      ['not_includes', 'milk', null],
    ]);
    const { body } = await use.service.anyone.get(`/api/v1/forms/${form.uuid}/schema`);
    expect(body.data.steps[0].fields[4].conditions[0]).toMatchObject({ value_field_code: 'adults' });

    // An operator that compares with no answer.
    await openField(page, fields['note']!);
    const stored = new Inputs(page.row('Condition', 1));
    await stored.choose('Operator', 'is empty');
    await stored.input('Compare with').waitFor({ state: 'detached' });
    await save(page, form);
    expect((await conditions())[0]).toMatchObject({ operator: 'empty', value: '', valueFieldId: null });
  });
});
