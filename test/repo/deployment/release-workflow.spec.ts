import { parse } from 'yaml';
import { read } from '../repository.js';

const text = read('.github/workflows/release.yml');
const workflow = parse(text);
const { test, image } = workflow.jobs;
const stepOf = (action: string) =>
  image.steps.find(({ uses }: { uses?: string }) => uses?.startsWith(action));

/** Checks what the release workflow does. actionlint (`npm run lint`) checks the syntax. */
describe('the release', () => {
  it('pins every action to a commit', () => {
    const actions = [...text.matchAll(/uses: (.+)$/gm)].map(([, action]) => action as string);
    expect(actions).toHaveLength(8);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('has only the permissions that it needs', () => {
    expect(workflow.permissions).toEqual({});
    expect(test.permissions).toEqual({ contents: 'read' });
    expect(image.permissions).toEqual({
      contents: 'read',
      packages: 'write',
      'id-token': 'write',
      attestations: 'write',
    });
  });

  it('runs after the tests, which include Helm', () => {
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    expect(image.needs).toBe('test');
    const commands = test.steps.map(({ run }: { run?: string }) => run);
    const checks = ['npm run lint', 'npm run types', 'npm run test:all', 'npm run check:repo'];
    expect(commands).toEqual(expect.arrayContaining(checks));
    expect(test.steps.at(-1).env.HELM).toBe('required');
  });

  it('builds for both platforms on a base image with a digest, with every argument of the Dockerfile', () => {
    const build = stepOf('docker/build-push-action').with;
    expect(build).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      provenance: 'mode=max',
      sbom: true,
    });
    const dockerfile = read('Dockerfile');
    const declared = [...dockerfile.matchAll(/^ARG (\w+)/gm)].map(([, name]) => name);
    const given = [...(build['build-args'] as string).matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(given.toSorted()).toEqual(declared.toSorted());
    const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
    expect(text).toContain(`imagetools inspect ${base} `);
    expect(text).toContain(`node=${base}@$digest`);
  });

  it('attests the provenance of the image by its digest, and outputs the digest', () => {
    expect(stepOf('actions/attest').with).toMatchObject({
      'subject-digest': '${{ steps.build.outputs.digest }}',
      'push-to-registry': true,
    });
    expect(image.outputs.digest).toBe('${{ steps.build.outputs.digest }}');
  });
});
