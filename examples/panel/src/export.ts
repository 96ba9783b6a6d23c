import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { Form } from 'formtrail-entities';
import type { DataSource } from 'typeorm';
import { HttpError } from './errors.js';
import { type Asked, momentOf, statusOf } from './resources/answers-filter.js';

const COMMAND = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));
const MEDIA_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' };

interface Export {
  readonly Querystring: Asked;
  readonly Params: { readonly slug: string; readonly format: keyof typeof MEDIA_TYPES };
}

/** Options of `submissions export` for each format. CSV is for Excel. */
const OPTIONS = { csv: ['--excel', '--labels'], ndjson: [] };

/** Exports the submissions of a form, or those of a status and of some days, as a file. Runs the service's command line, which streams and so needs little memory. */
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
    const filters = {
      status: statusOf(request.query),
      from: momentOf(request.query, 'from'),
      to: momentOf(request.query, 'to'),
    };
    const words = Object.entries(filters).flatMap(([name, value]) => (value ? [`--${name}`, value] : []));
    const options = [
      'submissions',
      'export',
      '--form',
      slug,
      '--format',
      format,
      ...OPTIONS[format],
      ...words,
    ];
    const command = spawn(process.execPath, [COMMAND, ...options], {
      env: { ...environment, PGOPTIONS: actorOption(environment, request.session.adminUser?.email) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const isComplete = once(command, 'close').then(
      ([status]) => status === 0,
      () => false,
    );
    reply.raw.once('close', () => command.kill());
    const output = command.stdout.pipe(new PassThrough());
    // Wait for the first output, because a failure before it can still be reported as 503.
    await once(output, 'readable');
    if (output.readableLength === 0 && !(await isComplete)) {
      throw new HttpError(503, 'The export failed. The log of the panel says why.');
    }
    // On a failure, abort the download, so that an incomplete file is not mistaken for a complete one.
    void isComplete.then((complete) => complete || reply.raw.destroy());
    return reply
      .type(MEDIA_TYPES[format])
      .header('Content-Disposition', `attachment; filename="${slug}.${format}"`)
      .send(output);
  });
}

/** Makes the audit log name the logged-in user instead of the panel's database role. */
function actorOption({ PGOPTIONS = '' }: NodeJS.ProcessEnv, email = ''): string {
  return `${PGOPTIONS} -c formtrail.actor=${email.replace(/[\\\s]/g, '\\$&')}`.trim();
}
