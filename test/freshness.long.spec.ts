import { Form } from '../src/entities.js';
import { eventually } from './support/eventually.js';
import { buildForm } from './support/forms.js';
import { useService } from './support/service.js';
import { asAnotherProgram } from './support/test-server.js';

const use = useService();

it('a service never serves an older version after a newer one, even during edits (F9)', async () => {
  const { uuid, slug, id } = (await buildForm(use.database.dataSource)).form;
  const paths = [`/api/v1/forms/${uuid}/schema`, `/api/v1/forms/${uuid}`, `/api/v1/forms/${slug}/by-slug`];
  let committed = 1;
  let isEditing = true;
  let newestRead = 0;
  let reads = 0;

  const readAll = async (path: string) => {
    while (isEditing) {
      const newestBefore = newestRead;
      const { body } = await use.service.anyone.get(path);
      expect(body.data.version).toBeGreaterThanOrEqual(newestBefore);
      newestRead = Math.max(newestRead, body.data.version);
      reads += 1;
    }
  };
  const edit = async () => {
    try {
      await asAnotherProgram(use.database.connection, async (program) => {
        for (let edits = 0; edits < 100; edits += 1) {
          await program.query('update forms set name = $2 where id = $1', [id, `edit ${edits}`]);
          committed += 1;
        }
      });
    } finally {
      isEditing = false;
    }
  };
  await Promise.all([edit(), ...paths.flatMap((path) => [readAll(path), readAll(path)])]);

  expect(reads).toBeGreaterThan(0);
  for (const path of paths) {
    const served = async () => (await use.service.anyone.get(path)).body.data.version;
    await eventually('the last version', async () => (await served()) === committed);
  }
  const { version } = await use.database.dataSource.manager.findOneByOrFail(Form, { id });
  expect(version).toBe(committed);
});
