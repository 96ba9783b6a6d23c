import { FormtrailClient } from 'formtrail-client';
import { Draft } from 'formtrail-session';
import { buildForm } from '../support/forms.js';
import { newUser, useService } from '../support/service.js';
import { eventually } from '../support/eventually.js';

const use = useService();

describe('smoke', () => {
  it('works', async () => {
    const built = await buildForm(use.database.dataSource, {
      steps: [
        {
          name: { isRequired: true },
          wants: { type: 'select', options: ['yes', 'no'] },
          why: { conditions: [['wants', 'equals', 'yes', 'show']] },
        },
        { age: { type: 'number', isRequired: true } },
      ],
    });
    const { plainToken } = await newUser(use);
    const client = new FormtrailClient({ url: use.service.url, token: plainToken });
    const draft = new Draft({ client, form: built.form.slug });
    const stop = draft.subscribe(() => undefined);
    await draft.open();
    const shown = () => draft.getSnapshot() as any;
    expect(shown()).toMatchObject({ status: 'open', saving: { kind: 'unchanged' } });
    expect(await draft.next()).toBe('mistakes');
    expect(shown().mistakes).toMatchObject([{ key: 'name', mistake: { code: 'required' } }]);
    draft.change('name', 'Ada');
    draft.change('wants', 'yes');
    await eventually('why is shown', () => shown().step.blocks.length === 3);
    expect(shown().saving).toEqual({ kind: 'saved' });
    expect(await draft.next()).toBe('done');
    expect(shown().step.number).toBe(2);
    expect(await draft.next()).toBe('mistakes');
    draft.change('age', 'x');
    expect(await draft.next()).toBe('mistakes');
    expect(shown().mistakes).toMatchObject([{ key: 'age', mistake: { code: 'not_a_number' } }]);
    draft.change('age', '36');
    expect(await draft.next()).toBe('last');
    expect(await draft.back()).toBe('done');
    expect(await draft.complete()).toBe('done');
    expect(shown()).toMatchObject({ status: 'completed', endedElsewhere: false });
    stop();
  });
});
