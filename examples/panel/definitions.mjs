// The service's own code for form definitions, which the panel uses to copy, check, compare and publish forms.
import { deleteForm } from '../../dist/src/cli/deletions.js';
import { parseFiles } from '../../dist/src/capabilities/definitions/check-files.js';
import { compareForms } from '../../dist/src/capabilities/definitions/compare-forms.js';
import { findForm } from '../../dist/src/capabilities/definitions/export-form.js';
import { fieldsOf } from '../../dist/src/capabilities/definitions/form-definition.js';
import { importInto } from '../../dist/src/capabilities/definitions/import-forms.js';
import { importTransaction } from '../../dist/src/cli/import-transaction.js';
import { lintFiles } from '../../dist/src/capabilities/definitions/lint-files.js';
import { matchSteps } from '../../dist/src/capabilities/definitions/match-steps.js';
import { setActor } from '../../dist/src/database/set-actor.js';
import { createDataSource, initialize } from '../../dist/src/server/data-source.js';

const asFile = (definition) => ({ name: '', text: JSON.stringify(definition) });

/** Opens a pool of its own, because the service has its own copy of the entity classes. */
export async function openDefinitions({ connection, configuredBy }) {
  const dataSource = createDataSource(connection, { size: 2, deadlines: false });
  await initialize(dataSource, configuredBy);
  return {
    transaction: (actor, work) =>
      importTransaction(dataSource, async (manager) => {
        if (actor !== undefined) await setActor(manager, actor);
        return work(manager);
      }),
    find: async (manager, slug) => (await findForm(manager, slug))?.definition,
    async write(manager, definition) {
      const [{ form }] = await importInto(manager, parseFiles([asFile(definition)]));
      return form;
    },
    deleteForm: (manager, slug) => deleteForm(manager, slug, { withSubmissions: true }),
    lint(definition) {
      const { mistakes, warnings } = lintFiles([asFile(definition)]);
      return [...mistakes, ...warnings];
    },
    matchSteps: (before, after) => matchSteps(before.steps, after.steps),
    compare,
    close: () => dataSource.destroy(),
  };
}

/** `aligned` is `before` with the codes that its fields have in `after`. */
function compare(before, after, aligned = before) {
  const known = new Set(fieldsOf(after).map(({ field }) => field.code));
  const newCodes = fieldsOf(aligned).map(({ field }) => field.code);
  const codes = fieldsOf(before).map(({ field }, at) => [field.code, newCodes[at]]);
  const steps = [...matchSteps(aligned.steps, after.steps)];
  return compareForms(before, after, {
    newCodes: new Map(codes.filter(([, code]) => known.has(code))),
    newNumbers: new Map(steps.map(([old, now]) => [old.step_number, now.step_number])),
  });
}
