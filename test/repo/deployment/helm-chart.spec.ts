import { Ajv } from 'ajv';
import { read } from '../repository.js';
import {
  chart,
  defaults,
  EVERYTHING,
  lintByHelm,
  render,
  renderByHelm,
  renderNotes,
  schema,
  secrets,
  templateNames,
  templateText,
} from './chart.js';
import { schemaErrors } from './kubernetes-schema.js';
import { byName, containersOf, isInstalled, type Manifest, podOf, secretNamesOf } from './manifests.js';

/** Values that differ from the defaults. */
const OTHERS = {
  ...EVERYTHING,
  ingress: { enabled: true, tlsSecret: 'certificate' },
  image: { repository: 'ghcr.io/acme/formtrail', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  config: { FILES_URL: null, AWS_REGION: null, LOG_LEVEL: 'warn', CORS_ORIGINS: 'https://a.example "b"' },
  secrets: { server: 'a', owner: 'b', panel: 'c', webhooks: 'd' },
  resources: { requests: { cpu: '1' } },
  autoscaling: { enabled: false },
  replicas: 4,
  terminationGracePeriodSeconds: 60,
  nodeSelector: { 'kubernetes.io/arch': 'arm64' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  podAnnotations: { 'linkerd.io/inject': 'enabled' },
  migrate: { enabled: false },
  networkPolicy: { egressPorts: [5433] },
  webhooks: {
    enabled: true,
    config: { LOG_LEVEL: 'debug' },
    allow: ['10.1.0.0/16', 'fd00:1::/64'],
    databasePorts: [5434],
  },
};

/** Helm may be missing, except in the release workflow, which sets HELM=required. */
const hasHelm = isInstalled('helm') || process.env.HELM === 'required';

const renderers = [['Go templates', render] as const, ...(hasHelm ? [['Helm', renderByHelm] as const] : [])];

describe.each(renderers)('the chart, rendered by %s,', (_name, renderedBy) => {
  it('has these objects by default, and more if everything is enabled. They match the schemas of Kubernetes', () => {
    const namesOf = (objects: Manifest[]) => Object.keys(byName(objects)).join(', ');
    expect(namesOf(renderedBy())).toBe(
      'ConfigMap formtrail, Deployment formtrail, HorizontalPodAutoscaler formtrail, Job formtrail-migrate, ' +
        'NetworkPolicy formtrail, PodDisruptionBudget formtrail, Service formtrail, ServiceAccount formtrail',
    );
    const everything = renderedBy(EVERYTHING);
    const { length } = renderedBy();
    expect(everything).toHaveLength(length + 6);
    expect(namesOf(everything)).toMatch(
      /CronJob formtrail-purge, .*Ingress formtrail, .*PodMonitor formtrail/,
    );
    expect(schemaErrors([...everything, ...renderedBy(OTHERS), ...secrets])).toEqual([]);
  });

  it('keeps all entries of the audit log by default', () => {
    const argsOf = (purge: object) =>
      renderedBy({ purge: { enabled: true, ...purge } })
        .filter(({ kind }) => kind === 'CronJob')
        .flatMap(containersOf)
        .map(({ args }) => args.join(' '));
    const always = ['submissions purge --drafts-older-than 90d', 'respondents purge'];
    expect(argsOf({})).toEqual(always);
    expect(argsOf({ auditOlderThan: '365d' })).toEqual([...always, 'audit purge --older-than 365d']);
  });

  it('uses every value', () => {
    const rendered = renderedBy(OTHERS, 'other');
    const objects = byName(rendered);
    const server = objects['Deployment other'] as Manifest;
    expect(Object.keys(objects).filter((name) => /Job|Autoscaler/.test(name))).toEqual([
      'CronJob other-purge',
    ]);
    expect(objects['ConfigMap other']?.data).toEqual({
      METRICS_PORT: '9464',
      TRUST_PROXY: '10.244.0.0/16',
      SHUTDOWN_TIMEOUT: '20',
      LOG_LEVEL: 'warn',
      CORS_ORIGINS: 'https://a.example "b"',
    });
    expect(server.spec.replicas).toBe(4);
    expect(podOf(server).metadata.annotations).toEqual(OTHERS.podAnnotations);
    const { nodeSelector, tolerations, affinity, imagePullSecrets, terminationGracePeriodSeconds } = OTHERS;
    const ofPod = { nodeSelector, tolerations, affinity, imagePullSecrets, terminationGracePeriodSeconds };
    expect(podOf(server).spec).toMatchObject(ofPod);
    expect(containersOf(server)[0]?.resources).toEqual({
      requests: { cpu: '1', memory: '192Mi' },
      limits: { memory: '512Mi' },
    });
    const images = new Set(rendered.flatMap(containersOf).map(({ image }) => image));
    expect([...images]).toEqual([`ghcr.io/acme/formtrail@${OTHERS.image.digest}`]);
    expect(rendered.flatMap(secretNamesOf).toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(objects['NetworkPolicy other']?.spec.egress[1]).toEqual({ ports: [{ port: 5433 }] });
    const { egress } = (objects['NetworkPolicy other-webhooks'] as Manifest).spec;
    expect(egress[1]).toEqual({ ports: [{ port: 5434 }] });
    expect(egress[2].to.slice(2)).toEqual(OTHERS.webhooks.allow.map((cidr) => ({ ipBlock: { cidr } })));
    expect(containersOf(objects['Deployment other-webhooks'] as Manifest)[0]?.env).toEqual([
      { name: 'METRICS_PORT', value: '9464' },
      { name: 'WEBHOOK_ALLOW', value: '10.1.0.0/16,fd00:1::/64' },
      { name: 'LOG_LEVEL', value: 'debug' },
    ]);
    expect(JSON.stringify(rendered)).not.toContain('"formtrail-');
  });
});

(hasHelm ? it : it.skip)('helm lint finds no errors', () => {
  expect(lintByHelm()).toContain('0 chart(s) failed');
});

describe('the values', () => {
  const validate = new Ajv({ strict: true }).compile(schema);

  it('match their schema', () => {
    expect([validate(defaults), validate.errors]).toEqual([true, null]);
    const withoutNull = { ...OTHERS, config: { LOG_LEVEL: 'warn' } };
    expect([validate(withoutNull), validate.errors]).toEqual([true, null]);
  });

  it.each([
    ['a misspelt name', { autoscalling: {} }],
    ['a number for a variable', { config: { SHUTDOWN_TIMEOUT: 20 } }],
    ['WEBHOOK_ALLOW, which opens no port', { webhooks: { config: { WEBHOOK_ALLOW: '10.0.0.0/8' } } }],
    ['an address instead of a network', { webhooks: { allow: ['10.1.2.3'] } }],
    ['an invalid port', { networkPolicy: { egressPorts: [0] } }],
    ['a digest without an algorithm', { image: { digest: 'abc' } }],
    ['a METRICS_PORT that the probes do not use', { config: { METRICS_PORT: '1' } }],
  ])('do not match it with %s', (_what, values) => {
    expect(validate(values)).toBe(false);
  });

  it('are all used in the templates', () => {
    const paths = (value: unknown, path: string): string[] =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
        ? Object.entries(value).flatMap(([key, inner]) => paths(inner, `${path}.${key}`))
        : [path];
    const used = new Set(
      templateNames().flatMap((name) =>
        [...templateText(name).matchAll(/\.Values((?:\.\w+)+)/g)].map(([, at]) => at),
      ),
    );
    const unused = paths(defaults, '').filter(
      (at) => ![...used].some((name) => `${at}.`.startsWith(`${name}.`)),
    );
    expect(unused).toEqual([]);
  });
});

it('the chart has the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(chart).toMatchObject({ version, appVersion: version });
});

it('the commands for plain manifests name a template of the chart', () => {
  const shown = [...read('deploy/helm/README.md').matchAll(/--show-only templates\/(\S+)/g)];
  expect(shown.map(([, name]) => name)).toEqual(['migrate-job.yaml']);
  expect(templateNames()).toContain('migrate-job.yaml');
});

it('the notes say what is not enabled yet', () => {
  expect(renderNotes({}, 'mine')).toContain('rollout status --namespace default deployment/mine');
  expect(renderNotes()).toContain('Set ingress.enabled');
  expect(renderNotes(EVERYTHING)).not.toContain('Set ');
});
