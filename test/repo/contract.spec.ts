import {
  compileRules,
  evaluatorOf,
  type Formula,
  FORMULA_OPS,
  type FormulaOp,
  type Operator,
  OPERATORS,
  type EngineCondition,
  type StoredValue,
} from '../../src/conditions/engine/index.js';
import { noToday } from '../../src/conditions/engine/dates.js';
import { compileFormula } from '../../src/conditions/engine/compile-formula.js';
import { COMPONENTS } from '../../src/forms/field-types.js';
import { listReader } from '../../src/forms/option-list.js';
import { document } from '../support/documented.js';
import { CONTRACT, filesIn, linksIn, read, rulesIn, sectionOf } from './repository.js';

const pages = CONTRACT.map((name) => ({ name, text: read(name) }));
const contract = pages.map(({ text }) => text).join('\n');
const pageOf = new Map(pages.flatMap(({ name, text }) => rulesIn(text).map((rule) => [rule, name] as const)));
const stated = pages.flatMap(({ text }) => rulesIn(text));

const today = () => ({ earliest: '2026-11-28', latest: '2026-11-28', single: '2026-11-28' });

const RULE = /^[A-Z]\d+$/;

describe('the contract', () => {
  it('states every rule once, without gaps in the numbers', () => {
    for (const [letter, count] of Object.entries({
      ...{ F: 14, S: 14, V: 13, C: 18, K: 3, A: 10, E: 12, J: 13, R: 6, N: 7, O: 2, P: 11, U: 7, W: 7 },
    })) {
      const expected = Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
      const found = stated.filter((rule) => rule.startsWith(letter));
      expect(found.sort()).toEqual(expected.sort());
    }
  });

  it('states every rule that it refers to or that a comment in the code names', () => {
    const named = [contract, ...commentsIn('src'), ...commentsIn('test')].flatMap(
      (text) => text.match(/\b[FSVCAEJKRNOPUWXDLT]\d{1,2}\b/g) ?? [],
    );
    expect(new Set(named)).toEqual(new Set(stated));
  });

  it.each(pages)('links every mention of a rule to its statement: $name', ({ name, text }) => {
    const linked = linksIn(name, text).filter(({ text: shown }) => RULE.test(shown));
    expect(linked.length).toBeGreaterThan(10);
    for (const { text: rule, target, anchor } of linked)
      expect([rule, target, anchor]).toEqual([rule, pageOf.get(rule), rule.toLowerCase()]);
    const rest = text.replace(/^- <a.*?>\*\*\w+\*\* /gm, '').replace(/\[\w+\]\([^)]*\)/g, '');
    // S3 is a rule, and the storage of files too.
    expect(rest.match(/\b(?!S3 |S3,|S3\.)[FSVCAEJKRNOPUWXDL]\d{1,2}\b|\*\*[A-Z]\d+\*\*/g)).toBeNull();
  });

  it('has an index of all rules, by letter and number', () => {
    const rows = [...sectionOf(contract, 'All rules').matchAll(/^\| ([A-Z]) \| [^|]+ \| (.*) \|$/gm)];
    for (const [, letter, rules = ''] of rows) {
      const listed = [...rules.matchAll(/\[(\w+)\]/g)].map(([, rule = '']) => rule);
      const numbers = listed.map((rule) => Number(rule.slice(1)));
      expect([letter, numbers]).toEqual([letter, numbers.toSorted((one, other) => one - other)]);
      expect(listed).toEqual(listed.filter((rule) => rule.startsWith(letter ?? '')));
    }
    const all = rows.flatMap(([, , rules = '']) => [...rules.matchAll(/\[(\w+)\]/g)].map(([, rule]) => rule));
    expect(all.toSorted()).toEqual(stated.toSorted());
  });

  it('names each component where it describes fields', () => {
    const [paragraph = ''] = /^`field_type\.component` names[^]*?\n\n/m.exec(contract) ?? [];
    const named = [...paragraph.matchAll(/`([a-z]+-[a-z]+)`/g)].map(([, name]) => name);
    expect(named).toEqual([...COMPONENTS]);
  });

  it('says when each operator is met, with examples that are right', () => {
    const rows = tableWith('Operator');
    expect(rows.flatMap(([name = '']) => codesIn(name))).toEqual([...OPERATORS]);
    for (const [name = '', , value = '', met = '', notMet = ''] of rows) {
      const [operator, [given = '']] = [codesIn(name)[0] as Operator, codesIn(value)];
      const isMet = evaluatorOf(operator, given, { today, choicesIn: listReader(['post', 'fax']) });
      const examples = (cell: string) => cell.split(/, (?=`|no)/).map((example) => codesIn(example));
      expect([operator, examples(met).map(isMet)]).toEqual([operator, examples(met).map(() => true)]);
      expect([operator, examples(notMet).map(isMet)]).toEqual([operator, examples(notMet).map(() => false)]);
    }
  });

  it('has an example of several conditions on one field, with the states that they lead to', () => {
    const [, json = ''] = /<!-- definition: conditions -->\n```json\n(.*?)```/s.exec(contract) ?? [];
    const conditions = JSON.parse(json) as (EngineCondition & { depends_on_field_code: string })[];
    const codes = ['purpose', 'country', 'nights'];
    const rules = compileRules([
      {
        id: codes.length,
        isRequired: false,
        conditions: conditions.map((condition) => ({
          ...condition,
          dependsOnFieldId: codes.indexOf(condition.depends_on_field_code),
        })),
      },
    ]);
    const rows = tableWith('`purpose`');
    expect(rows.length).toBeGreaterThan(5);
    for (const cells of rows) {
      const values = codes.flatMap((_, id) =>
        codesIn(cells[id] ?? '').map((text): StoredValue => [id, null, text]),
      );
      const [state] = rules.resolveStates(values);
      const [visible, required] = cells.slice(codes.length).map((cell) => cell === 'yes');
      expect([cells, state]).toEqual([cells, { visible, required }]);
    }
  });

  it('has examples of conditions on a field with several values that are right', () => {
    const rows = tableWith('Condition on `kind`');
    expect(rows.length).toBeGreaterThan(4);
    for (const [condition = '', met] of rows) {
      const [operator, value = ''] = codesIn(condition);
      expect([condition, evaluatorOf(operator as Operator, value)(['meal', 'taxi'])]).toEqual([
        condition,
        met === 'yes',
      ]);
    }
  });

  it('says what each operation of a formula gives, with examples that are right (K1)', () => {
    const rows = tableWith('`op`');
    expect(rows.flatMap(([op = '']) => codesIn(op)).toSorted()).toEqual([...FORMULA_OPS].toSorted());
    const context = { today: noToday, sourceOf: () => undefined };
    for (const [cell = '', , , example = '', without = ''] of rows) {
      const op = codesIn(cell)[0] as FormulaOp;
      const [given = '', result = ''] = example.split(' → ');
      const constants = codesIn(given).map((value) => ({ value }));
      const formula = (of: Formula['of']) => compileFormula({ op, of }, context)([]);
      expect([op, formula(constants)]).toEqual([op, ...codesIn(result)]);
      expect([op, formula(constants.map(() => ({ value: '' })))]).toEqual([
        op,
        without === 'empty' ? undefined : codesIn(without)[0],
      ]);
    }
  });

  it('has a row for each route of the OpenAPI document, and for no other', () => {
    const rows = [...contract.matchAll(/^\| `([A-Z]+ \/\S+)` \|/gm)].map(([, route]) => route);
    const routes = Object.entries(document.paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
    expect(rows.toSorted()).toEqual(routes.toSorted());
  });
});

/** The cells of each row of the table whose first column has this heading. */
function tableWith(heading: string): string[][] {
  const [, table = ''] =
    new RegExp(`^\\| ${heading} \\|.*\\n\\| ---.*\\n((?:\\|.*\\n)*)`, 'm').exec(contract) ?? [];
  const rows = table.split('\n').filter((row) => row !== '');
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The texts that a cell shows as code. A cell without code means that there is no value. */
const codesIn = (cell: string) => [...cell.matchAll(/`([^`]*)`/g)].map(([, code = '']) => code);

function commentsIn(folder: string): string[] {
  const files = filesIn(folder).filter((name) => name.endsWith('.ts'));
  return files.flatMap((name) => read(`${folder}/${name}`).match(/^\s*(\/\/|\/?\*).*$|\s\/\/ .*$/gm) ?? []);
}
