import { parse } from 'yaml';
import { filesIn, read, sectionOf } from '../repository.js';
import { EVERYTHING, render, secrets } from './chart.js';
import { schemaErrors } from './kubernetes-schema.js';
import { byName, containersOf, type Manifest, podOf, secretNamesOf } from './manifests.js';

const objects = byName(render(EVERYTHING));
const server = objects['Deployment formtrail'] as Manifest;
const webhooks = objects['Deployment formtrail-webhooks'] as Manifest;
const hpa = objects['HorizontalPodAutoscaler formtrail'] as Manifest;
const policy = objects['NetworkPolicy formtrail'] as Manifest;

const millicores = (quantity: string) =>
  quantity.endsWith('m') ? Number(quantity.slice(0, -1)) : Number(quantity) * 1000;

describe('the objects of the chart', () => {
  it.each([
    [{ replica: 2 }, `'"replica"' does not exist`],
    [{ replicas: '2' }, "'string' is not assignable to type 'number'"],
    [{ replicas: 2 ** 40 }, 'must match format "int32"'],
    [{ selector: undefined }, `Property '"selector"' is missing`],
  ])('would not match the schemas of Kubernetes with %j', (spec, error) => {
    const broken = JSON.parse(JSON.stringify({ ...server, spec: { ...server.spec, ...spec } })) as Manifest;
    expect(schemaErrors([broken])).toContainEqual(expect.stringContaining(error));
  });

  it('all use the image with the version of the package', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const images = Object.values(objects).flatMap(containersOf);
    expect(images.map(({ image }) => image)).toEqual(
      Array(6).fill(`registry.example.org/formtrail:${version}`),
    );
  });

  it('give each program only the secrets of its role', () => {
    expect(secretNamesOf(server)).toEqual(['formtrail']);
    expect(secretNamesOf(objects['Job formtrail-migrate'] as Manifest)).toEqual(['formtrail-owner']);
    expect(secretNamesOf(webhooks)).toEqual(['formtrail-owner', 'formtrail-webhooks']);
    expect(secretNamesOf(objects['CronJob formtrail-purge'] as Manifest)).toEqual(['formtrail-panel']);
    const roles = secrets.map(({ metadata, stringData }: any) => [
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
    const operations = filesIn('docs/operations').map((name) => `docs/operations/${name}`);
    const documents = ['docs/configuration.md', ...operations, 'README.md', 'deploy/patroni/README.md']
      .map(read)
      .join('\n');
    const url =
      /\b(?:(?:DATABASE|DATABASE_DIRECT|REDIS|CLAMD)_URL|OTEL_EXPORTER_OTLP_ENDPOINT)=\w+:\/\/\S*?:(\d+)\b/g;
    const written = [...documents.matchAll(url)].map(([, port]) => Number(port));
    expect(new Set(written)).toEqual(new Set([5432, 6432, 5000, 6379, 3310, 4318]));
    // Port 443 is for S3 and identity providers, 9000 for MinIO, and 8443 for Keycloak.
    expect([...new Set(written), 443, 9000, 8443].filter((port) => !ports.includes(port))).toEqual([]);
  });

  it('names all its ports in the table of the README', () => {
    const table = sectionOf(read('deploy/helm/README.md'), 'Ports');
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

it('the delivery of webhooks has probes on its own port, a topology spread and a disruption budget', () => {
  const [container] = containersOf(webhooks);
  for (const probe of ['startupProbe', 'livenessProbe'])
    expect(container?.[probe].httpGet).toEqual({ path: '/health/live', port: 'metrics' });
  const { metadata, spec } = podOf(webhooks);
  expect(spec.topologySpreadConstraints[0].labelSelector.matchLabels).toEqual(metadata.labels);
  expect(objects['PodDisruptionBudget formtrail-webhooks']?.spec.selector.matchLabels).toEqual(
    metadata.labels,
  );
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(15);
});

describe('Prometheus', () => {
  const alerts = read('deploy/prometheus/alerts.yaml');

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
    const [, yaml = ''] = /```yaml\n(scrape_configs:.*?)```/s.exec(read('deploy/helm/README.md')) ?? [];
    const [{ job_name, relabel_configs }] = parse(yaml).scrape_configs;
    expect(job_name).toBe('formtrail');
    expect(relabel_configs[0]).toMatchObject({ action: 'keep', regex: 'formtrail;metrics' });
  });
});
