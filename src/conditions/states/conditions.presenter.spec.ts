import fc from 'fast-check';
import { presentExplainedStates, presentStates } from './conditions.presenter.js';
import { HIDDEN, OPTIONAL, REQUIRED, runToCompletion } from '../engine/index.js';

const statedFields = fc.record({
  field: fc.record({
    id: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    code: fc.oneof(fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/), fc.string()),
  }),
  state: fc.constantFrom(HIDDEN, OPTIONAL, REQUIRED),
});
const forms = fc.uniqueArray(statedFields, { selector: ({ field }) => field.id, maxLength: 12 });

it('presentStates() returns exactly what JSON.stringify() returns, also for repeated calls', () => {
  fc.assert(
    fc.property(forms, forms, (pairs, others) => {
      const fields = pairs.map(({ field }) => field);
      const states = pairs.map(({ state }, index) => others[index]?.state ?? state);
      for (const given of [states, states.toReversed(), states]) {
        const map = fields.map(({ id }, index) => [id, given[index]]);
        const list = fields.map(({ id, code }, index) => ({
          field_id: id,
          field_code: code,
          is_visible: given[index]!.visible,
          is_required: given[index]!.required,
        }));
        expect(presentStates('map', fields, given)).toBe(JSON.stringify(Object.fromEntries(map)));
        expect(presentStates('list', fields, given)).toBe(JSON.stringify(list));
      }
    }),
  );
});

const NO_CONTAINERS = { steps: [], entitiesById: new Map(), fieldsById: new Map(), retiredCodes: new Map() };

it('an explained state has the same members in the same order as one without an explanation', () => {
  fc.assert(
    fc.property(forms, fc.constantFrom('map', 'list'), (pairs, shape) => {
      const fields = pairs.map(({ field }) => field);
      const states = pairs.map(({ state }) => state);
      const explained = states.map((state) => ({ ...state, met: [] }));
      expect(
        runToCompletion(presentExplainedStates(shape, fields, explained, NO_CONTAINERS)).replaceAll(
          ',"conditions_met":[]',
          '',
        ),
      ).toBe(presentStates(shape, fields, states));
    }),
  );
});
