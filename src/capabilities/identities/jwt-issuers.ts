/** The signature algorithms that an issuer may use (A7). HMAC is not among them, because its key would be a shared secret. */
export const JWT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];

/** An identity provider whose JSON web tokens the service accepts (A7). */
export interface JwtIssuer {
  /** The exact text of the claim `iss`. */
  readonly issuer: string;
  /** The claim `aud` must be or contain this text. */
  readonly audience: string;
  /** Where the keys are. Undefined: OpenID Connect Discovery names the URL. */
  readonly jwksUrl: string | undefined;
  readonly algorithms: readonly JwtAlgorithm[];
}

const MAX_ISSUERS = 20;
/** Maximum characters of a text in the setting. The issuer is stored in a column of this length. */
const MAX_LENGTH = 255;
const PROPERTIES = ['issuer', 'audience', 'jwks_url', 'algorithms'];

const WEB_URL = 'an https URL, or http on the loopback interface,';

interface Entry {
  readonly issuer: string;
  readonly audience: string;
  readonly jwks_url?: string;
  readonly algorithms?: readonly JwtAlgorithm[];
}

/** Returns no issuers if the text is invalid. */
export function jwtIssuersOf(text: string): readonly JwtIssuer[] {
  if (jwtIssuersErrors(text).length > 0) return [];
  return (JSON.parse(text) as Entry[]).map(({ issuer, audience, jwks_url, algorithms = JWT_ALGORITHMS }) => ({
    issuer,
    audience,
    jwksUrl: jwks_url,
    algorithms,
  }));
}

/** Returns a sentence for each error in the setting JWT_ISSUERS. The sentences continue after the name of the variable. */
export function jwtIssuersErrors(text: string): string[] {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch (error) {
    return [` must be a JSON list of issuers, but is not valid JSON: ${(error as Error).message}.`];
  }
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > MAX_ISSUERS)
    return [
      ` must be a JSON list of 1 to ${MAX_ISSUERS} issuers such as [{"issuer":"https://id.example.org","audience":"formtrail"}]. ` +
        'Unset it to accept no JSON web tokens.',
    ];
  const listed = entries as unknown[];
  return [
    ...listed.flatMap((entry, at) => entryErrors(entry).map((error) => `[${at}]${error}`)),
    ...duplicates(listed),
  ];
}

function entryErrors(entry: unknown): string[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return [' must be an object with issuer and audience.'];
  const { issuer, audience, jwks_url, algorithms } = entry as Record<string, unknown>;
  const unknown = Object.keys(entry).filter((name) => !PROPERTIES.includes(name));
  return [
    ...unknown.map(
      (name) => ` has the unknown property "${name}"; the properties are ${PROPERTIES.join(', ')}.`,
    ),
    ...(isUrl(issuer) && new URL(issuer).search === ''
      ? []
      : [`.issuer must be ${WEB_URL} without a user, query or fragment.`]),
    ...(isText(audience) ? [] : [`.audience must be a text of 1 to ${MAX_LENGTH} characters.`]),
    ...(jwks_url === undefined || isUrl(jwks_url)
      ? []
      : [`.jwks_url must be ${WEB_URL} without a user or fragment.`]),
    ...(algorithms === undefined || areAlgorithms(algorithms)
      ? []
      : [`.algorithms must be a list of one or more of ${JWT_ALGORITHMS.join(', ')}.`]),
  ];
}

function duplicates(entries: readonly unknown[]): string[] {
  const issuers = entries.map((entry) => (entry as Partial<Entry> | null)?.issuer);
  return issuers.flatMap((issuer, at) => {
    const first = issuers.indexOf(issuer);
    return issuer === undefined || first === at
      ? []
      : [`[${at}] has the issuer of [${first}]; each issuer can have only one entry.`];
  });
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && Array.from(value).length <= MAX_LENGTH;

const isUrl = (value: unknown): value is string => isText(value) && isTrustedWebUrl(value);

function areAlgorithms(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((name) => JWT_ALGORITHMS.includes(name as JwtAlgorithm))
  );
}

/**
 * Whether nobody on the network can change what the URL returns: it is https, or http on the loopback interface. Rejects
 * a user and a fragment.
 */
export function isTrustedWebUrl(text: string): boolean {
  if (/[\s#]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username + password !== '') return false;
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  );
}
