import { breaches, capabilityOf, isEntity, sources, textOf } from './sources.js';

/** The only files outside src/capabilities that may name capabilities. */
const NAMES_CAPABILITIES = ['capabilities.ts', 'entities.ts'];

/** Words of capabilities. A space stands for nothing, a space, a hyphen or an underscore: "web token" is also "webToken". */
const WORDS = [
  ...['altcha', 'audit', 'citus', 'clamd', 'csv', 'identity provider', 'issuer', 'jwt', 'metrics'],
  ...['open telemetry', 'otel', 'prom client', 'prometheus', 'proof', 'quota', 'respondent', 'resume code'],
  ...['seed', 'shard', 'tracing', 'upload', 'virus', 'web token', 'webhook'],
  // Nest has an option of this name.
  'preview(?!: true,)',
];

/** An error code and its message, which are part of the contract. Any kind of token may be unverifiable for a while. */
const IN_THE_CONTRACT =
  /'identity_provider_unavailable'|^ {2}identity_provider_unavailable: .*$|'The identity provider cannot be reached[^']*'/gm;

const isCore = (file: string) => capabilityOf(file) === '' && !NAMES_CAPABILITIES.includes(file);
/** Entities and migrations of the core have columns of capabilities, because other programs write to them. */
const isWithoutColumns = (file: string) => !isEntity(file) && !/(^|\/)migrations\//.test(file);

describe('capabilities, each of which can be taken away,', () => {
  it('are all in the list of capabilities.ts', () => {
    const listed = (sources.get('capabilities.ts') ?? []).map(({ target }) => capabilityOf(target));
    const folders = new Set([...sources.keys()].map(capabilityOf));
    expect(listed.filter((name) => name !== '').toSorted()).toEqual(
      [...folders].filter((name) => name !== '').toSorted(),
    );
  });

  it('are imported only by capabilities.ts and entities.ts', () => {
    expect(breaches(isCore, ({ target }) => capabilityOf(target) !== '')).toEqual([]);
  });

  it('import no other capability', () => {
    expect(
      breaches(
        (file) => capabilityOf(file) !== '',
        ({ target }, file) => !['', capabilityOf(file)].includes(capabilityOf(target)),
      ),
    ).toEqual([]);
  });

  const core = [...sources.keys()]
    .filter((file) => isCore(file) && isWithoutColumns(file))
    .map((file) => ({ file, text: textOf(file).replaceAll(IN_THE_CONTRACT, '') }));

  it.each(WORDS)('have words of their own: "%s" is in no other file of the core', (word) => {
    const pattern = new RegExp(word.replaceAll(' ', '[ _-]?'), 'i');
    expect(core.filter(({ text }) => pattern.test(text)).map(({ file }) => file)).toEqual([]);
  });
});
