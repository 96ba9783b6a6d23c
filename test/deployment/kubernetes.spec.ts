import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { schemaErrors } from './kubernetes-schema.js';
import {
  byName,
  containersOf,
  isInstalled,
  kustomizationOf,
  kustomize,
  type Manifest,
  MANIFESTS,
  objectsIn,
  objectsOf,
  output,
  podOf,
  ROOT,
} from './manifests.js';

const FOLDERS = ['.', 'migrate', 'webhooks', 'purge', 'pod-monitor'];
const EXAMPLES = ['secret.example.yaml', 'ingress.example.yaml'];

const objects = byName(FOLDERS.flatMap(kustomize));
const server = objects['Deployment formtrail'] as Manifest;
const webhooks = objects['Deployment formtrail-webhooks'] as Manifest;
const hpa = objects['HorizontalPodAutoscaler formtrail'] as Manifest;
const policy = objects['NetworkPolicy formtrail'] as Manifest;
const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const millicores = (quantity: string) =>
  quantity.endsWith('m') ? Number(quantity.slice(0, -1)) : Number(quantity) * 1000;

/** The names of the secrets that a pod reads. */
const secretsOf = (object: Manifest) => [
  ...new Set(
    containersOf(object).flatMap(({ envFrom }) =>
      envFrom.flatMap(({ secretRef }: any) => (secretRef ? [secretRef.name] : [])),
    ),
  ),
];

describe('the manifests', () => {
  it('match the schemas of Kubernetes', () => {
    const examples = EXAMPLES.flatMap(objectsOf);
    expect(Object.keys(objects)).toHaveLength(13);
    expect(schemaErrors([...Object.values(objects), ...examples])).toEqual([]);
  });

  it('would not match them with an unknown or missing field, or a field of another type', () => {
    const change = (spec: object): Manifest =>
      JSON.parse(JSON.stringify({ ...server, spec: { ...server.spec, ...spec } })) as Manifest;
    const broken = [{ replica: 2 }, { replicas: '2' }, { replicas: 2 ** 40 }, { selector: undefined }];
    expect(schemaErrors(broken.map(change))).toEqual([
      expect.stringContaining(`'"replica"' does not exist`),
      expect.stringContaining("'string' is not assignable to type 'number'"),
      expect.stringContaining(`Property '"selector"' is missing`),
      'Deployment formtrail: data/spec/replicas must be integer',
      'Deployment formtrail: data/spec/replicas must match format "int32"',
      'Deployment formtrail: data/spec must have required property selector',
    ]);
  });

  it('are all in a kustomization, except the examples', () => {
    for (const folder of FOLDERS) {
      const files = readdirSync(path.join(MANIFESTS, folder)).filter(
        (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml' && !EXAMPLES.includes(name),
      );
      expect(kustomizationOf(folder).resources?.toSorted()).toEqual(files.toSorted());
    }
  });

  (isInstalled('kubectl') ? it : it.skip).each(FOLDERS)('are read the same by kubectl: %s', (folder) => {
    const built = objectsIn(output('kubectl', ['kustomize', path.join(MANIFESTS, folder)]));
    expect(byName(built)).toEqual(byName(kustomize(folder)));
  });

  it('all use the image with the version of the package', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    const images = Object.values(objects)
      .flatMap(containersOf)
      .map(({ image }) => image);
    expect(images).toHaveLength(6);
    expect(new Set(images)).toEqual(new Set([`registry.example.org/formtrail:${version}`]));
  });

  it('give each program only the secrets of its role', () => {
    expect(secretsOf(server)).toEqual(['formtrail']);
    expect(secretsOf(objects['Job formtrail-migrate'] as Manifest)).toEqual(['formtrail-owner']);
    expect(secretsOf(webhooks)).toEqual(['formtrail-owner', 'formtrail-webhooks']);
    expect(secretsOf(objects['CronJob formtrail-purge'] as Manifest)).toEqual(['formtrail-panel']);
    const roles = objectsOf('secret.example.yaml').map(({ metadata, stringData }: any) => [
      metadata.name,
      /\/\/(\w+):/.exec(stringData.DATABASE_URL as string)?.[1],
    ]);
    expect(Object.fromEntries(roles)).toEqual({
      formtrail: 'formtrail_service',
      'formtrail-owner': 'formtrail_owner',
      'formtrail-panel': 'formtrail_panel',
      'formtrail-webhooks': undefined,
    });
  });
});

describe('the autoscaler', () => {
  const [metric] = hpa.spec.metrics;
  const target = millicores(metric.resource.target.averageValue as string);

  it('adds a pod when the pods use most of one core each, the most that a pod can use', () => {
    expect(metric.resource).toMatchObject({ name: 'cpu', target: { type: 'AverageValue' } });
    expect(target).toBeGreaterThanOrEqual(500);
    expect(target).toBeLessThan(1000);
  });

  it('can reach its target, because pods request that much CPU and have no CPU limit', () => {
    const [{ resources } = { resources: undefined }] = containersOf(server);
    expect(millicores(resources.requests.cpu as string)).toBeGreaterThanOrEqual(target);
    expect(resources.limits).not.toHaveProperty('cpu');
  });
});

describe('the network policy', () => {
  const ports = policy.spec.egress.flatMap(({ ports }: any) => ports.map(({ port }: any) => port));

  it('allows connections to every server in the examples of the documentation', () => {
    const documents = ['docs/configuration.md', 'docs/operations.md', 'README.md', 'deploy/patroni/README.md']
      .map(textOf)
      .join('\n');
    const named = [
      'DATABASE_URL',
      'DATABASE_DIRECT_URL',
      'REDIS_URL',
      'CLAMD_URL',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    ];
    const written = named.flatMap((name) =>
      [...documents.matchAll(new RegExp(`\\b${name}=\\w+://\\S*?:(\\d+)\\b`, 'g'))].map(([, port]) =>
        Number(port),
      ),
    );
    expect(new Set(written)).toEqual(new Set([5432, 6432, 5000, 6379, 3310, 4318]));
    // Port 443 is for S3 and identity providers, 9000 for MinIO, and 8443 for Keycloak.
    expect([...new Set(written), 443, 9000, 8443].filter((port) => !ports.includes(port))).toEqual([]);
  });

  it('names all its ports in the table of the README', () => {
    const table = /^## Ports$[\s\S]*?^## /m.exec(textOf('deploy/kubernetes/README.md'))?.[0] ?? '';
    const named = [...table.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell = '']) =>
      cell.split(', ').map(Number),
    );
    expect(new Set(named)).toEqual(new Set(ports.filter((port: number) => port !== 53)));
  });

  describe('of the pods that deliver webhooks', () => {
    const own = (objects['NetworkPolicy formtrail-webhooks'] as Manifest).spec;

    it('is the only policy of these pods', () => {
      const { labels } = podOf(webhooks).metadata;
      expect(own.podSelector.matchLabels).toEqual(labels);
      const { matchLabels, matchExpressions } = policy.spec.podSelector;
      const selects = (pod: Record<string, string>) =>
        Object.entries(matchLabels).every(([name, value]) => pod[name] === value) &&
        matchExpressions.every(
          ({ key, operator, values }: any) => operator === 'NotIn' && !values.includes(pod[key]),
        );
      expect([selects(podOf(server).metadata.labels), selects(labels)]).toEqual([true, false]);
    });

    it('allows metrics, names and the database, and any port of public addresses only', () => {
      expect(own.policyTypes).toEqual(['Ingress', 'Egress']);
      expect(own.ingress).toEqual(policy.spec.ingress.slice(1));
      const limited = own.egress.filter(({ to }: any) => to === undefined);
      expect(limited.flatMap(({ ports: allowed }: any) => allowed.map(({ port }: any) => port))).toEqual([
        53, 53, 5432, 6432, 5000,
      ]);
      const [{ ports: all, to }, ...others] = own.egress.filter(({ to }: any) => to !== undefined);
      expect([all, others]).toEqual([undefined, []]);
      expect(to.map(({ ipBlock }: any) => ipBlock)).toEqual([
        {
          cidr: '0.0.0.0/0',
          except: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
        },
        { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] },
      ]);
    });
  });
});

describe('the delivery of webhooks', () => {
  it('has probes on its own port, a topology spread and a disruption budget', () => {
    const [container] = containersOf(webhooks);
    for (const probe of ['startupProbe', 'livenessProbe']) {
      expect(container?.[probe].httpGet).toEqual({ path: '/health/live', port: 'metrics' });
    }
    const { labels } = podOf(webhooks).metadata;
    expect(podOf(webhooks).spec.topologySpreadConstraints[0].labelSelector.matchLabels).toEqual(labels);
    expect(objects['PodDisruptionBudget formtrail-webhooks']?.spec.selector.matchLabels).toEqual(labels);
    expect(podOf(webhooks).spec.terminationGracePeriodSeconds).toBeGreaterThan(15);
  });
});

describe('Prometheus', () => {
  const alerts = textOf('deploy/prometheus/alerts.yaml');

  it('scrapes every pod with the job name that the alerts select', () => {
    const jobs = new Set([...alerts.matchAll(/\bjob="([^"]+)"/g)].map(([, job]) => job));
    const { jobLabel, selector } = (objects['PodMonitor formtrail'] as Manifest).spec;
    const scraped = [server, webhooks].map((object) => podOf(object).metadata.labels);
    expect(jobs).toEqual(new Set(scraped.map((labels) => labels[jobLabel])));
    for (const labels of scraped) expect(labels).toMatchObject(selector.matchLabels);
    const annotated = Object.values(objects).filter((object) => podOf(object)?.metadata.annotations);
    expect(annotated).toEqual([]);
  });

  it('uses the same job name without the Prometheus operator', () => {
    const [, yaml = ''] =
      /```yaml\n(scrape_configs:.*?)```/s.exec(textOf('deploy/kubernetes/README.md')) ?? [];
    const [
      {
        job_name: job,
        relabel_configs: [keep],
      },
    ] = parse(yaml).scrape_configs;
    expect(job).toBe('formtrail');
    expect(keep).toMatchObject({ action: 'keep', regex: 'formtrail;metrics' });
  });
});
