import { takeResumeCode } from 'formtrail-session/resume-link';

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'location');
  Reflect.deleteProperty(globalThis, 'history');
});

it.each([
  ['#resume=7QX2MK-4TBZC', '7QX2MK-4TBZC', [[null, '', '/form?a=b']]],
  ['#section', undefined, []],
])('the code in the fragment %s of the address is %s, and leaves the address bar', (hash, code, replaced) => {
  const replaceState = jest.fn();
  const location = { hash, pathname: '/form', search: '?a=b' };
  Object.assign(globalThis, { location, history: { state: null, replaceState } });
  expect(takeResumeCode()).toBe(code);
  expect(replaceState.mock.calls).toEqual(replaced);
});
