import { KNOWN_CAPABILITY_IMPORTS, KNOWN_CORE_IMPORTS, KNOWN_WORDS } from './known-breaches.js';
import { breaches, capabilityOf, isEntity, sources, textOf } from './sources.js';

/** The only files outside src/capabilities that may name capabilities. */
const NAMES_CAPABILITIES = ['capabilities.ts', 'entities.ts'];

const isCore = (file: string) => capabilityOf(file) === '' && !NAMES_CAPABILITIES.includes(file);
/** Entities and migrations of the core have columns of capabilities, because other programs write to them. */
const isWithoutColumns = (file: string) => !isEntity(file) && !/(^|\/)migrations\//.test(file);

describe('capabilities, each of which can be taken away,', () => {
  it('are imported only by capabilities.ts and entities.ts, and what is known', () => {
    expect(breaches(isCore, ({ target }) => capabilityOf(target) !== '')).toEqual(KNOWN_CORE_IMPORTS);
  });

  it('import no other capability, except what is known', () => {
    expect(
      breaches(
        (file) => capabilityOf(file) !== '',
        ({ target }, file) => !['', capabilityOf(file)].includes(capabilityOf(target)),
      ),
    ).toEqual(KNOWN_CAPABILITY_IMPORTS);
  });

  it.each(Object.entries(KNOWN_WORDS))(
    'have words of their own: "%s" is in no other file of the core',
    (word, known) => {
      // Matches "web token", "web-token", "web_token" and "webToken".
      const pattern = new RegExp(word.replaceAll(' ', '[ _-]?'), 'i');
      const files = [...sources.keys()]
        .filter(isCore)
        .filter((file) => isWithoutColumns(file) && pattern.test(textOf(file)));
      expect(files.toSorted()).toEqual(known);
    },
  );
});
