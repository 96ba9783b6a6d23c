import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Command } from 'commander';
import { lintFiles } from '../../src/capabilities/definitions/lint-files.js';
import { WEBHOOK_SCHEMA } from '../../src/capabilities/webhooks/webhooks.openapi.js';
import { FORMULA_OPS, operandsOf } from '../../src/conditions/engine/index.js';
import { createProgram } from '../../src/cli/program.js';
import { filesIn, read, ROOT, sectionOf } from './repository.js';

const alertsPage = read('docs/operations/alerts.md');

it('README.md can be read in a few minutes', () => {
  expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(900);
});

it('docs/security.md lists every runtime dependency, and no other package', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<string, object>;
  const rows = sectionOf(read('docs/security.md'), 'What we rely on').matchAll(/^\| (`.+?) \|/gm);
  const named = [...rows].flatMap(([, cell = '']) => cell.match(/(?<=`)[^`, ]+(?=`)/g));
  const relied = Object.keys({ ...dependencies, ...optionalDependencies });
  expect(named.toSorted()).toEqual(relied.toSorted());
});

it('docs/command-line.md lists every command, and no others', () => {
  const namesOf = (command: Command): string[] =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.flatMap(namesOf).map((name) => `${command.name()} ${name}`);
  const commands = createProgram(ROOT).commands.flatMap(namesOf);
  const listed = sectionOf(read('docs/command-line.md'), 'Commands')
    .split('\n')
    .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, usage = '']) => usage.replace(/ (\[|--|[A-Z]).*$/, ''));
  expect(listed.toSorted()).toEqual([...commands, '--version'].toSorted());
});

it('docs/operations/backup.md records a backup like the command, with SQL', () => {
  const page = read('docs/operations/backup.md');
  const [, statement = ''] = /"(insert into backups[^"]*)"/.exec(page) ?? [];
  const [, conflict = ''] = /(on conflict .*)\n/.exec(read('src/database/record-backup.ts')) ?? [];
  expect(statement.split(/\n */)).toEqual(["insert into backups (taken_at) values ('$began')", conflict]);
});

it('the quick start writes to temporary files only, so that it leaves nothing in the checkout', () => {
  const page = read('docs/quickstart.md');
  const shell = [...page.matchAll(/```sh$(.*?)```/gms)].map(([, lines = '']) => lines).join('\n');
  const targets = [...shell.matchAll(/(?<![=<>])>+ *(\S+)|(?:^| )-[oO]\b/g)].map(([, target]) => target);
  expect(targets).toEqual(['"$CV"']);
  expect(shell).toContain('CV=$(mktemp)');
});

describe('docs/form-definitions.md', () => {
  const page = read('docs/form-definitions.md');
  const [form, ...parts] = Array.from(page.matchAll(/^```json$(.*?)^```/gms), ([, text = '']) =>
    JSON.parse(text),
  );
  /** Examples in cells of tables, by their first key. */
  const examples = (key: string) =>
    Array.from(page.matchAll(new RegExp(`\\| \`(\\{ "${key}".*?)\` \\|`, 'g')), ([, text = '']) =>
      JSON.parse(text),
    );
  const field = (code: string, type: string, more: object = {}) => ({
    ...{ code, label: code, field_type: { name: type } },
    ...more,
  });
  const dates = ['birthday', 'arrival', 'start', 'needs_work_permit'].map((code) => field(code, 'date'));
  const entities = [{ name: 'item', label: 'Item', is_repeatable: true }];
  const ofItem = { entity: 'item', is_repeatable: true };
  const lint = (fields: object[], others: object[] = []) => {
    const steps = [{ step_number: 1, title: '', fields }, ...others];
    return lintFiles([
      { name: 'form.json', text: JSON.stringify({ name: 'F', slug: 'f', entities, steps }) },
    ]);
  };
  const NOTHING = { mistakes: [], warnings: [] };

  it('has a whole form, a step, conditions and fields that an import accepts without warnings', () => {
    expect(lintFiles([{ name: 'form.json', text: JSON.stringify(form) }])).toEqual(NOTHING);
    expect(parts.map((part) => Object.keys(part)[0])).toEqual([
      ...['step_number', 'depends_on_field_code', 'depends_on_field_code', 'code', 'code'],
    ]);
    const [step, underAge, earlier, departure, total] = parts;
    const shown = [underAge, earlier].map((condition, at) =>
      field(`note_${at}`, 'text', { conditions: [condition] }),
    );
    const fields = [...dates, ...shown, departure, field('price', 'number', ofItem), total];
    expect(lint(fields, [step])).toEqual(NOTHING);
  });

  it('has an example of each formula and of rules between answers that an import accepts without warnings', () => {
    const formulas = examples('op');
    const ops = Array.from(
      sectionOf(page, 'Computed fields').matchAll(/^\| (`\w+`(, `\w+`)*) \|/gm),
      ([, cell = '']) => cell,
    );
    expect(ops.slice(1).join(', ')).toBe(FORMULA_OPS.map((op) => `\`${op}\``).join(', '));
    expect(formulas).toHaveLength(ops.length - 1);
    const texts = ['child_name', 'first_name', 'last_name'];
    const codes = new Set<string>(formulas.flatMap(operandsOf).filter((code) => code !== 'birthday'));
    const operands = Array.from(codes, (code) => field(code, texts.includes(code) ? 'text' : 'number'));
    const computed = formulas.map((formula, at) => field(`computed_${at}`, 'number', { computed: formula }));
    expect(lint([...dates, ...operands, ...computed])).toEqual(NOTHING);
    const rules = examples('kind').map((rule, at) => {
      const type = rule.kind === 'min_date' ? 'date' : 'number';
      return field(`ruled_${at}`, type, { ...(rule.kind === 'max_sum' && ofItem), rules: [rule] });
    });
    expect(rules).toHaveLength(4);
    expect(lint([...dates, field('budget', 'number'), field('email', 'number'), ...rules])).toEqual(NOTHING);
  });
});

describe('docs/webhooks.md', () => {
  const page = read('docs/webhooks.md');
  const [, thin = ''] = /^```http$.*?^(\{.*?)^```/ms.exec(page) ?? [];
  const [, full = ''] = /^```json$(.*?)^```/ms.exec(page) ?? [];
  const ajv = new Ajv2020({ allowUnionTypes: true });
  addFormats.default(ajv);

  const keysOf = (schema: any): string[] =>
    Object.entries(schema.properties ?? schema.items?.properties ?? {}).flatMap(([key, inner]) => [
      key,
      ...keysOf(inner),
    ]);
  const FULL = /^(meta|user_email|values|field_id|field_code|value|entity_record_id|hidden)$/;

  it.each([
    ['thin', thin, FULL],
    ['full', full, /^$/],
  ])('has a %s body with every key of the OpenAPI document', (_, text, absent) => {
    ajv.validate(WEBHOOK_SCHEMA, JSON.parse(text));
    expect(ajv.errors ?? []).toEqual([]);
    const keys = new Set([...text.matchAll(/"(\w+)":/g)].map(([, key]) => key));
    // The example of meta has this key.
    keys.delete('source');
    const expected = keysOf(WEBHOOK_SCHEMA).filter((key) => !absent.test(key));
    expect([...keys].toSorted()).toEqual([...new Set(expected)].toSorted());
  });
});

describe('metrics', () => {
  /** The names of all metrics that the sources of the service define. */
  const defined = filesIn('src')
    .filter((file) => /(metrics|measurements)[^/]*(\/[^/]+)?$/.test(file) && file.endsWith('.ts'))
    .map((file) => read(`src/${file}`))
    .flatMap((text) => [...text.matchAll(/'((?:formtrail|http)_\w+)'/g)].map(([, name = '']) => name));

  /** A row of the table names its first metric in full. It may name its other metrics only by their suffix. */
  const described = [...sectionOf(alertsPage, 'Metrics').matchAll(/^\| (`[a-z_]+`[^|]*) \|/gm)].flatMap(
    ([, cell = '']) => {
      const [first = '', ...others] = cell.match(/(?<=`)\w+(?=`)/g) ?? [];
      const suffixes = others.filter((other) => other.startsWith('_'));
      const bases = first.split('_').map((_, at, words) => words.slice(0, at + 1).join('_'));
      return [first, ...others, ...bases.flatMap((base) => suffixes.map((suffix) => base + suffix))];
    },
  );

  it('are all in the table of docs/operations/alerts.md', () => {
    expect(defined.length).toBeGreaterThan(30);
    expect(defined.filter((name) => !described.includes(name))).toEqual([]);
  });

  const alerts = read('deploy/prometheus/alerts.yaml').replace(/^\s*#.*$/gm, '');
  const { panels } = JSON.parse(read('deploy/grafana/dashboard.json')) as {
    panels: { title: string; type: string; targets?: { expr: string }[] }[];
  };
  const expressions = panels
    .filter(({ type }) => type !== 'row')
    .map(({ title, targets = [] }) => [title, targets.map(({ expr }) => expr).join('\n')] as const);

  it.each([['the alerts', alerts] as const, ...expressions])('that %s query exist', (_, text) => {
    const queried = text.match(/\b(http|formtrail|process|nodejs)_\w+(?![\w:])/g) ?? [];
    expect(queried).not.toEqual([]);
    const isOwn = (name: string) => /^(http|formtrail)_/.test(name);
    const names = queried.filter(isOwn).map((name) => name.replace(/_(bucket|count|sum)$/, ''));
    expect(names.filter((name) => !defined.includes(name))).toEqual([]);
  });

  it.each(expressions)(
    'are on the dashboard as "%s", because an alert or docs/operations/alerts.md names it',
    (title, text) => {
      const inAlerts = (text.match(/\b(http|formtrail|process|nodejs)_\w+/g) ?? []).filter((name) =>
        new RegExp(`\\b${name}\\b`).test(alerts),
      );
      expect(inAlerts.length > 0 || alertsPage.includes(`"${title}"`)).toBe(true);
    },
  );

  it('have alerts that docs/operations/alerts.md explains, in the same order', () => {
    const explained = [...alertsPage.matchAll(/^### (Formtrail\w+)$/gm)].map(([, name]) => name);
    expect(explained).toEqual([...alerts.matchAll(/alert: (\w+)/g)].map(([, name]) => name));
  });
});
