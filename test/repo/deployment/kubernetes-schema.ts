import path from 'node:path';
import ts from 'typescript';
import { ROOT } from '../repository.js';
import type { Manifest } from './manifests.js';

/** The packages with the schemas of custom resources, by API group. */
const PACKAGES: Record<string, string> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator/monitoring.coreos.com',
};

const moduleOf = ({ apiVersion, kind }: Manifest): string => {
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : [undefined, apiVersion];
  return `${PACKAGES[group] ?? path.posix.join('kubernetes-models', group)}/${version}/${kind}`;
};

/**
 * Returns violations of the schemas of Kubernetes. TypeScript types find unknown and missing fields and wrong types,
 * like `kubeconform -strict`. Validators find wrong formats.
 */
export function schemaErrors(objects: Manifest[]): string[] {
  return [...typeErrors(objects), ...objects.flatMap(formatErrors)];
}

function formatErrors(object: Manifest): string[] {
  // oxlint-disable-next-line typescript/no-require-imports -- the object determines the module
  const models = require(moduleOf(object)) as Record<string, new (data: object) => { validate(): void }>;
  const Model = models[object.kind];
  if (Model === undefined) return [`${object.kind}: not of ${object.apiVersion}`];
  try {
    new Model(object).validate();
    return [];
  } catch (error) {
    return [`${object.kind} ${object.metadata.name}: ${(error as Error).message}`];
  }
}

function typeErrors(objects: Manifest[]): string[] {
  const file = path.join(ROOT, 'test/repo/deployment/objects-to-check.ts');
  const lines = objects.flatMap((object, index) => [
    `import type { I${object.kind} as Type${index} } from '${moduleOf(object)}';`,
    `export const object${index}: Type${index} = ${JSON.stringify(object)};`,
  ]);
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const withFile: ts.CompilerHost = {
    ...host,
    getSourceFile: (name, ...rest) =>
      name === file
        ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ES2022)
        : host.getSourceFile(name, ...rest),
    fileExists: (name) => name === file || host.fileExists(name),
  };
  const program = ts.createProgram([file], options, withFile);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? 0;
    const object = objects[Math.floor(line / 2)];
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ');
    return `${object?.kind} ${object?.metadata.name}: ${text}`;
  });
}
