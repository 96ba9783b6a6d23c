import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { Form } from 'formtrail-entities';
import type { DataSource } from 'typeorm';
import { HttpError } from './errors.js';

const COMMAND = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));
const MEDIA_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' };

interface Export {
  readonly Params: { readonly slug: string; readonly format: keyof typeof MEDIA_TYPES };
}

/** For people, who open tables in Excel. */
const WORDS = { csv: ['--excel', '--labels'], ndjson: [] };

/** All submissions of a form as a file, by the service's own command line: any number of them takes little memory. */
export function addExport(
  app: FastifyInstance,
  dataSource: DataSource,
  environment: NodeJS.ProcessEnv,
): void {
  app.get<Export>('/admin/export/:slug.:format(csv|ndjson)', async (request, reply) => {
    const { slug, format } = request.params;
    if (!(await dataSource.manager.existsBy(Form, { slug }))) {
      throw new HttpError(404, `There is no form with the slug "${slug}".`);
    }
    const words = ['submissions', 'export', '--form', slug, '--format', format, ...WORDS[format]];
    const command = spawn(process.execPath, [COMMAND, ...words], {
      env: { ...environment, PGOPTIONS: actorOption(environment, request.session.adminUser?.email) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const isWhole = once(command, 'close').then(
      ([status]) => status === 0,
      () => false,
    );
    reply.raw.once('close', () => command.kill());
    const output = command.stdout.pipe(new PassThrough());
    // Until it writes or ends, its failure can still be told by a status.
    await once(output, 'readable');
    if (output.readableLength === 0 && !(await isWhole)) {
      throw new HttpError(503, 'The export failed. The log of the panel says why.');
    }
    // A file that is not whole has to be seen as such: its download fails.
    void isWhole.then((whole) => whole || reply.raw.destroy());
    return reply
      .type(MEDIA_TYPES[format])
      .header('Content-Disposition', `attachment; filename="${slug}.${format}"`)
      .send(output);
  });
}

/** The audit log then names the person who is signed in, and not the account that the panel runs as. */
function actorOption({ PGOPTIONS = '' }: NodeJS.ProcessEnv, email = ''): string {
  return `${PGOPTIONS} -c formtrail.actor=${email.replace(/[\\\s]/g, '\\$&')}`.trim();
}
