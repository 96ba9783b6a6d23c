import { User } from '../../src/entities.js';
import { buildForm } from '../support/forms.js';
import { useService } from '../support/service.js';
import { EMAIL, type PanelProcess, startPanel } from './support/panel-process.js';
import { openSession } from './support/panel-session.js';

const use = useService();
let panel: PanelProcess;

beforeAll(async () => {
  panel = await startPanel(use.database.url, 'http://127.0.0.1:5173/');
}, 300_000);
afterAll(() => panel.stop());

it('the audit log names the signed-in operator for changes of tokens, users and forms, and for exports', async () => {
  const { dataSource } = use.database;
  const { manager } = dataSource;
  const { form: exported } = await buildForm(dataSource);
  const { form: deleted } = await buildForm(dataSource);
  const { id: userId } = await manager.save(manager.create(User, { email: 'ada@example.org' }));
  const session = await openSession(panel.url);
  const act = async (address: string, fields: Record<string, string> = {}) => {
    const body = JSON.stringify(fields);
    const headers = { 'Content-Type': 'application/json' };
    const { status } = await session(`/admin/api/resources/${address}`, { method: 'POST', headers, body });
    expect([address, status]).toEqual([address, 200]);
  };

  await act('api_tokens/actions/new', { userId: String(userId), name: 'Made in the panel' });
  const [{ id: tokenId }] = await manager.query<[{ id: number }]>('select max(id) as id from api_tokens');
  await act(`api_tokens/records/${tokenId}/delete`);
  await act(`users/records/${userId}/edit`, { email: 'byron@example.org' });
  await act(`users/records/${userId}/delete`);
  await act(`forms/records/${deleted.id}/delete`);
  expect((await session(`/admin/export/${exported.slug}.csv`)).status).toBe(200);

  expect(await manager.query('select actor, action, subject from audit_log order by id')).toEqual(
    [
      ['token.issued', `token:${tokenId}`],
      ['token.revoked', `token:${tokenId}`],
      ['user.changed', `user:${userId}`],
      ['user.deleted', `user:${userId}`],
      ['token.deleted', `token:${tokenId}`],
      ['form.deleted', `form:${deleted.slug}`],
      ['submissions.exported', `form:${exported.slug}`],
    ].map(([action, subject]) => ({ actor: EMAIL, action, subject })),
  );
});
