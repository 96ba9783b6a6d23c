import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

const COMMAND = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));
const MEDIA_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' };

interface Export {
  readonly Params: { readonly slug: string; readonly format: keyof typeof MEDIA_TYPES };
}

/** All submissions of a form as a file, by the service's own command line: any number of them takes little memory. */
export function addExport(app: FastifyInstance, environment: NodeJS.ProcessEnv): void {
  app.get<Export>('/admin/export/:slug([a-z0-9-]+).:format(csv|ndjson)', (request, reply) => {
    const { slug, format } = request.params;
    const words = ['submissions', 'export', '--form', slug, '--format', format];
    const command = spawn(process.execPath, [COMMAND, ...words], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // A file that is not whole has to be seen as such: its download fails.
    command.once('close', (status) => status === 0 || reply.raw.destroy());
    reply.raw.once('close', () => command.kill());
    return reply
      .type(MEDIA_TYPES[format])
      .header('Content-Disposition', `attachment; filename="${slug}.${format}"`)
      .send(command.stdout);
  });
}
