import { setTimeout as pause } from 'node:timers/promises';
import { DefinitionError } from '../../src/capabilities/definitions/definition-error.js';
import { exportForm } from '../../src/capabilities/definitions/export-form.js';
import { importForms } from '../../src/capabilities/definitions/import-forms.js';
import { client } from '../support/client.js';
import { stateOf } from '../support/draft-requests.js';
import { createDraft, newDraft } from '../support/drafts.js';
import { eventually } from '../support/eventually.js';
import { expectInvalid } from '../support/refusal.js';
import { newUser, startService, useService } from '../support/service.js';

const ROUNDS = 24;

describe('an import of a form beside upserts of values on two instances', () => {
  const use = useService();

  it('loses no value, and causes no 500', async () => {
    const built = await newDraft(use, [{ name: {}, extra: {}, more: {} }]);
    const { form } = built;
    const replica = await startService(use.database);
    const { plainToken } = await newUser(use);
    const clients = [use.service, replica].map(({ url }) =>
      client(url, { Authorization: `Bearer ${plainToken}` }),
    );
    const { dataSource } = use.database;
    const whole = (await exportForm(dataSource, form.slug))!;
    const [step] = whole.steps;
    const smaller = { ...whole, steps: [{ ...step!, fields: step!.fields.slice(0, 1) }] };
    const importing = async (definition: object) => {
      try {
        await importForms(dataSource, [{ name: 'form.json', text: JSON.stringify(definition) }]);
        return true;
      } catch (error) {
        // The import fails and changes nothing if the fields have values by now, or if the form keeps changing.
        expect(error).toBeInstanceOf(DefinitionError);
        return false;
      }
    };
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const codes = round % 2 === 0 ? ['extra', 'more'] : ['more', 'extra'];
      const values = codes.map((field_code) => ({ field_code, value: `round ${round}` }));
      const drafts = await Promise.all(
        [0, 1, 0].map(async (at) => ({ client: clients[at]!, ...(await createDraft(clients[0]!, built)) })),
      );
      const isImported = importing(smaller);
      // In some rounds, the import ends first. In others, the upserts begin at different moments of the import.
      if (round % 4 === 0) await isImported;
      else await pause(round % 8);
      const stored = await Promise.all(
        drafts.map((own) => own.client.post(`${own.path}/values`, { values })),
      );

      for (const [at, answer] of stored.entries()) {
        seen.add(`${(await isImported) ? 'dropped' : 'kept'} ${answer.status}`);
        if (answer.status === 200) {
          const held = (await stateOf(drafts[at]!)).values as { value: string }[];
          expect(held.map(({ value }) => value)).toEqual(values.map(({ value }) => value));
        } else expectInvalid(answer, 'values.0.field_code', 'values.1.field_code');
      }
      // Restore the form for the next round.
      await dataSource.query('delete from submission_values where form_id = $1', [form.id]);
      await eventually('the whole form is back', () => importing(whole));
      for (const service of [use.service, replica]) await service.hearing(() => Promise.resolve());
    }
    expect([...seen].sort()).toEqual(['dropped 422', 'kept 200']);
    await replica.close();
  }, 300_000);
});
