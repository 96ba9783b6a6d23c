import { OPERATORS } from '../../src/conditions/engine/index.js';
import { COMPONENTS } from '../../src/forms/field-types.js';
import { document } from '../support/documented.js';
import { filesIn, read, rulesIn } from './repository.js';

const contract = read('docs/contract.md');
const stated = rulesIn(contract);

/** Rules whose number follows a gap. The numbers in the gap are taken by rules that the service does not have. */
const AFTER_A_GAP = ['F14', 'J13'];

describe('the contract', () => {
  it('states every rule once, without gaps in the numbers', () => {
    for (const [letter, count] of Object.entries({
      ...{ F: 12, S: 14, V: 13, C: 15, A: 10, E: 12, J: 8, R: 6, N: 7, O: 2, P: 11, U: 7, W: 7 },
    })) {
      const expected = Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
      const found = stated.filter((rule) => rule.startsWith(letter) && !AFTER_A_GAP.includes(rule));
      expect(found.sort()).toEqual(expected.sort());
    }
    expect(AFTER_A_GAP.filter((rule) => stated.filter((one) => one === rule).length !== 1)).toEqual([]);
  });

  it('states every rule that it refers to or that a comment in the code names', () => {
    const named = [contract, ...commentsIn('src'), ...commentsIn('test')].flatMap(
      (text) => text.match(/\b[FSVCAEJRNOPUWX]\d{1,2}\b/g) ?? [],
    );
    expect(new Set(named)).toEqual(new Set(stated));
  });

  it('has valid JSON in every example', () => {
    const blocks = [...contract.matchAll(/```json\n(.*?)```/gs)].map(([, block]) => block ?? '');
    expect(blocks.length).toBeGreaterThan(10);
    for (const block of blocks) expect(() => JSON.parse(block) as unknown).not.toThrow();
  });

  it('has a heading for every internal link', () => {
    const headings = [...contract.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      (heading ?? '')
        .toLowerCase()
        .replace(/[^a-z ]/g, '')
        .replace(/ /g, '-'),
    );
    for (const [, target] of contract.matchAll(/\]\(#([^)]*)\)/g)) expect(headings).toContain(target);
  });

  it('names each component where it describes fields', () => {
    const [paragraph = ''] = /^`field_type\.component` names[^]*?\n\n/m.exec(contract) ?? [];
    const named = [...paragraph.matchAll(/`([a-z]+-[a-z]+)`/g)].map(([, name]) => name);
    expect(named).toEqual([...COMPONENTS]);
  });

  it('says when each operator is met', () => {
    const [, table = ''] = /^\| Operator \|.*\n\| ---.*\n((?:\|.*\n)*)/m.exec(contract) ?? [];
    const named = table.split('\n').flatMap((row) => (row.split('|')[1] ?? '').match(/\w+/g) ?? []);
    expect(named.toSorted()).toEqual(OPERATORS.toSorted());
  });

  it('has a row for each route of the OpenAPI document, and for no other', () => {
    const rows = [...contract.matchAll(/^\| `([A-Z]+ \/\S+)` \|/gm)].map(([, route]) => route);
    const routes = Object.entries(document.paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
    expect(rows.toSorted()).toEqual(routes.toSorted());
  });
});

function commentsIn(folder: string): string[] {
  const files = filesIn(folder).filter((name) => name.endsWith('.ts'));
  return files.flatMap((name) => read(`${folder}/${name}`).match(/^\s*(\/\/|\/?\*).*$|\s\/\/ .*$/gm) ?? []);
}
