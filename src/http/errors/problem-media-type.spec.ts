import { acceptsProblemDetails } from './problem-media-type.js';

describe('E11: an Accept header', () => {
  it.each([
    'application/problem+json',
    'application/problem+json; charset=utf-8',
    'application/json, application/problem+json',
    'application/json;q=0.9, application/problem+json;q=0.9',
    'text/html, application/problem+json;q=0.2, text/*;q=0.5',
    'application/*;q=0.3,application/problem+json ; q=0.4',
    'text/plain;note="a, \\"b", application/problem+json',
    'application/problem+json;q=1.000',
  ])('requests problem details: %s', (header) => {
    expect(acceptsProblemDetails(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/problem+jsonx',
    'x-application/problem+json',
    'application/problem+json;q=0.000, */*',
    'application/problem+json;q=0.5, application/json',
    'application/problem+json;q=0.5, application/*;q=0.6',
    'application/problem+json;q=2',
    'application/problem+json;q=often',
    'text/plain;note="application/problem+json"',
    'text/plain;note=", application/problem+json',
  ])('does not request problem details: %s', (header) => {
    expect(acceptsProblemDetails(header)).toBe(false);
  });

  it('is parsed in at most linear time', () => {
    const startedAt = performance.now();
    for (const part of ['"', '\\"', ',', ';q=', '"\\']) {
      acceptsProblemDetails(`application/problem+json${part.repeat(16_000)}`);
    }
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
