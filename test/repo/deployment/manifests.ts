import { execFileSync, spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string>; labels?: Record<string, string> };
  spec?: any;
  data?: Record<string, string>;
}

export const objectsIn = (yaml: string): Manifest[] =>
  parseAllDocuments(yaml, { merge: true })
    .map((document) => document.toJS() as Manifest | null)
    .filter((object) => object !== null);

/** The pod template of an object. */
export const podOf = ({ spec }: Manifest): any => spec?.jobTemplate?.spec.template ?? spec?.template;

export const containersOf = (object: Manifest): { name: string; image: string; [key: string]: any }[] =>
  podOf(object)?.spec.containers ?? [];

/** The names of the secrets that the containers of an object read. */
export const secretNamesOf = (object: Manifest): string[] => [
  ...new Set(
    containersOf(object).flatMap(({ envFrom }) =>
      envFrom.flatMap(({ secretRef }: any) => (secretRef ? [secretRef.name] : [])),
    ),
  ),
];

/** Objects by kind and name, sorted, because their order in the files does not matter. */
export const byName = (objects: Manifest[]): Record<string, Manifest> =>
  Object.fromEntries(
    objects
      .map((object) => [`${object.kind} ${object.metadata.name}`, object] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

export const isInstalled = (program: string): boolean =>
  spawnSync(program, ['version', '--client'], { stdio: 'ignore' }).error === undefined;

export const output = (program: string, args: string[], input = ''): string =>
  execFileSync(program, args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
