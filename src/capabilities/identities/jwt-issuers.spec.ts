import { jwtIssuersErrors, jwtIssuersOf } from './jwt-issuers.js';

const ISSUER = { issuer: 'https://id.example.org/realms/main', audience: 'formtrail' };
const errorsOf = (...entries: unknown[]) => jwtIssuersErrors(JSON.stringify(entries));

describe('the setting JWT_ISSUERS (A7)', () => {
  it('gives an issuer all algorithms and discovery, unless it names others', () => {
    const other = {
      issuer: 'http://localhost:8080/realms/test',
      audience: 'forms',
      jwks_url: 'http://[::1]:8080/keys?set=1',
      algorithms: ['ES256'],
    };
    expect(jwtIssuersOf(JSON.stringify([ISSUER, other]))).toEqual([
      { ...ISSUER, jwksUrl: undefined, algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
      { issuer: other.issuer, audience: 'forms', jwksUrl: other.jwks_url, algorithms: ['ES256'] },
    ]);
  });

  it.each([
    'https://id.example.org/',
    'https://login.microsoftonline.com/7b2c5a4e-0000-0000-0000-000000000000/v2.0',
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://[::1]:8080',
  ])('accepts the issuer %s', (issuer) => {
    expect(errorsOf({ ...ISSUER, issuer })).toEqual([]);
  });

  const URL = 'must be an https URL, or http on the loopback interface, without a user';
  const ALGORITHMS = 'must be a list of one or more of RS256, PS256, ES256, EdDSA';
  const rejected = (property: string, message: string, values: unknown[]) =>
    values.map((value) => [property, value, message] as const);
  const urls =
    'http://id.example.org http://localhost.example.org http://127.0.0.1.example.org http://10.0.0.1 ftp://id.example.org ' +
    'id.example.org https://user@id.example.org https://id.example.org?tenant=1 https://id.example.org/#top';

  it.each([
    ...rejected('issuer', `${URL}, query or fragment`, [
      ...urls.split(' '),
      ...['https://id.example.org/a b', `https://id.example.org/${'x'.repeat(255)}`, '', 7, null, undefined],
    ]),
    ...rejected('audience', 'must be a text of 1 to 255 characters', [
      '',
      ' ',
      undefined,
      ['a'],
      'x'.repeat(256),
    ]),
    ...rejected('jwks_url', `${URL} or fragment`, [
      ...['http://id.example.org/keys', 'file:///keys', 'https://user:x@id.example.org/keys', '', null, 1],
    ]),
    ...rejected('algorithms', ALGORITHMS, [
      ['HS256'],
      ['none'],
      ['RS256', 'RS512'],
      ['es256'],
      [],
      'RS256',
      null,
    ]),
  ])('rejects the %s %j', (property, value, message) => {
    expect(errorsOf({ ...ISSUER, [property]: value })).toEqual([`[0].${property} ${message}.`]);
  });

  it('rejects an unknown property, for example a misspelt one', () => {
    expect(errorsOf({ ...ISSUER, jwks_uri: 'https://id.example.org/keys' })).toEqual([
      '[0] has the unknown property "jwks_uri"; the properties are issuer, audience, jwks_url, algorithms.',
    ]);
  });

  it('rejects a second entry for one issuer', () => {
    expect(errorsOf(ISSUER, { ...ISSUER, audience: 'other' })).toEqual([
      '[1] has the issuer of [0]; each issuer can have only one entry.',
    ]);
  });

  it.each(['{}', '[]', '"https://id.example.org"', 'null', JSON.stringify(Array(21).fill(ISSUER))])(
    'rejects %.40s, which is not a list of 1 to 20 issuers',
    (text) => {
      expect(jwtIssuersErrors(text)).toEqual([
        expect.stringMatching(/^ must be a JSON list of 1 to 20 issuers/),
      ]);
    },
  );

  it.each(['https://id.example.org', '[{]', "[{'issuer': 'x'}]"])('rejects %j, which is not JSON', (text) => {
    expect(jwtIssuersErrors(text)).toEqual([
      expect.stringMatching(/^ must be .* but is not valid JSON: .*\.$/),
    ]);
    expect(jwtIssuersOf(text)).toEqual([]);
  });

  it('names each error of each entry', () => {
    expect(errorsOf({ ...ISSUER, audience: '', extra: 1 }, [], null)).toEqual([
      expect.stringMatching(/^\[0\] has the unknown property "extra"/),
      '[0].audience must be a text of 1 to 255 characters.',
      '[1] must be an object with issuer and audience.',
      '[2] must be an object with issuer and audience.',
    ]);
  });
});
