import { Sessions, SESSION_LIFETIME } from '../../examples/panel/src/sessions.js';
import { useService } from '../support/service.js';
import { EMAIL, type PanelProcess, PASSWORD, startPanel } from './support/panel-process.js';
import { fromNewAddress, openSession, sessionCookie } from './support/panel-session.js';

const use = useService();
let panel: PanelProcess;

beforeAll(async () => {
  panel = await startPanel(use.database.url, 'http://127.0.0.1:5173/');
}, 300_000);
afterAll(() => panel.stop());

describe('a login', () => {
  /** Logs in with a cookie, as a browser would, and returns the target of the redirect. */
  const logInFrom = async (cookie: string) => {
    const response = await fetch(`${panel.url}/admin/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, ...fromNewAddress() },
      body: new URLSearchParams({ email: EMAIL, password: PASSWORD }),
    });
    return response.headers.get('location');
  };

  it('redirects to the page that was requested before it, which only a cookie stores', async () => {
    const asked = await fetch(`${panel.url}/admin/resources/users?page=2`, { redirect: 'manual' });
    expect([asked.status, asked.headers.get('location')]).toEqual([302, '/admin/login']);
    expect(sessionCookie(asked)).toBeUndefined();
    const [wanted = ''] = asked.headers.getSetCookie();
    expect(wanted).toMatch(/^formtrail-panel-wanted=[^;]+; Path=\/admin\/login; HttpOnly; SameSite=Strict$/);
    expect(await logInFrom(wanted.split(';')[0]!)).toBe('/admin/resources/users?page=2');
  });

  it('does not redirect to the logout', async () => {
    const asked = await fetch(`${panel.url}/admin/logout`, { redirect: 'manual' });
    expect([asked.status, asked.headers.getSetCookie()]).toEqual([302, []]);
  });

  it("ends with a logout from the panel's own page", async () => {
    const session = await openSession(panel.url);
    const list = async () => (await session('/admin/api/resources/forms/actions/list')).status;
    expect(await list()).toBe(200);
    const { status, headers } = await session('/admin/logout', {
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    });
    expect([status, headers.get('location'), await list()]).toEqual([302, '/admin/login', 302]);
  });

  it.each(['//evil.example', 'https://evil.example/admin/', '/', '/administrator'])(
    'redirects only to the panel, not to %s',
    async (elsewhere) => {
      expect(await logInFrom(`formtrail-panel-wanted=${encodeURIComponent(elsewhere)}`)).toBe('/admin');
    },
  );
});

describe('sessions', () => {
  afterEach(() => jest.useRealTimers());
  const ignore = () => undefined;
  const found = (sessions: Sessions<object>, id: string) => {
    let session: unknown;
    sessions.get(id, (_, one) => (session = one));
    return session;
  };

  it('end twelve hours after the login, even if they are used', () => {
    jest.useFakeTimers();
    const sessions = new Sessions<object>();
    const session = { adminUser: {} };
    sessions.set('a', session, ignore);
    jest.advanceTimersByTime(SESSION_LIFETIME - 1);
    sessions.set('a', session, ignore);
    expect(found(sessions, 'a')).toBe(session);
    jest.advanceTimersByTime(1);
    expect(found(sessions, 'a')).toBeNull();
    expect(sessions.size).toBe(0);
  });

  it('are stored only for logged-in users', () => {
    const sessions = new Sessions<object>();
    sessions.set('a', {}, ignore);
    expect([found(sessions, 'a'), sessions.size]).toEqual([null, 0]);
    sessions.set('b', { adminUser: {} }, ignore);
    sessions.destroy('b', ignore);
    expect(sessions.size).toBe(0);
  });
});
