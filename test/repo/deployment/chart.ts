import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { read, ROOT } from '../repository.js';
import { objectsIn, type Manifest, output } from './manifests.js';

const CHART = path.join(ROOT, 'deploy/helm');

type Values = Record<string, unknown>;

export const chart = parse(read('deploy/helm/Chart.yaml')) as Record<string, string>;
export const defaults = parse(read('deploy/helm/values.yaml')) as Values;
export const schema = JSON.parse(read('deploy/helm/values.schema.json')) as object;

/**
 * Renders the chart with Go's template engine, which lacks Helm's functions. The chart uses only one of them, `toJson`,
 * which `withJson` replaces. An unknown value is an error here, but Helm would write nothing.
 */
export function render(values: Values = {}, release = 'formtrail'): Manifest[] {
  return renderFiles((name) => name.endsWith('.yaml'), values, release).flatMap(objectsIn);
}

export const renderNotes = (values: Values = {}, release = 'formtrail'): string =>
  renderFiles((name) => name === 'NOTES.txt', values, release).join('');

/** Renders the chart with Helm. */
export function renderByHelm(values: Values = {}, release = 'formtrail'): Manifest[] {
  return objectsIn(output('helm', ['template', release, CHART, '--values', '-'], JSON.stringify(values)));
}

export const lintByHelm = (): string => output('helm', ['lint', '--strict', CHART]);

/** Values that enable all optional objects. */
export const EVERYTHING = {
  ingress: { enabled: true },
  webhooks: { enabled: true },
  purge: { enabled: true, auditOlderThan: '730d' },
  podMonitor: { enabled: true },
};

/** The Secrets that the operator creates before the chart. */
export const secrets = objectsIn(read('deploy/helm/secret.example.yaml'));

export const templateNames = (): string[] => readdirSync(path.join(CHART, 'templates')).toSorted();

export const templateText = (name: string): string => read(`deploy/helm/templates/${name}`);

function renderFiles(isWanted: (name: string) => boolean, values: Values, release: string): string[] {
  const merged = merge(defaults, values);
  const helpers = withJson(templateText('_helpers.tpl'), merged);
  const data = {
    Values: merged,
    Release: { Name: release, Namespace: 'default', Service: 'Helm' },
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
  };
  const templates = templateNames()
    .filter(isWanted)
    .map((name) => [name, helpers + withJson(templateText(name), merged)]);
  const script = path.join(__dirname, 'go-template.mjs');
  return JSON.parse(output(process.execPath, [script], JSON.stringify({ templates, data }))) as string[];
}

/** Replaces `toJson` of a value with a Go literal. */
function withJson(template: string, values: Values): string {
  return template.replace(/\{\{(-?) toJson \.Values\.([\w.]+) \}\}/g, (_all, dash: string, names: string) => {
    const value = names.split('.').reduce<any>((parent, name) => parent?.[name], values);
    if (value === undefined) throw new Error(`values.yaml has no ${names}`);
    return `{{${dash} ${JSON.stringify(JSON.stringify(value))} }}`;
  });
}

/** Merges values like Helm: maps are merged by key, null removes a key, and other values are replaced. */
function merge(base: Values, over: Values): Values {
  const all = { ...base, ...over };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, isMap(value) && isMap(base[key]) ? merge(base[key], value) : value]),
  );
}

const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
