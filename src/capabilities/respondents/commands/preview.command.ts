import type { Command } from 'commander';
import { noFormWithSlug } from '../../../cli/command-error.js';
import { print } from '../../../cli/output.js';
import { withDatabase } from '../../../cli/with-database.js';
import { API_PREFIX } from '../../../http/api-prefix.js';
import { sayToOperator } from '../../../process/say-to-operator.js';

export function addPreviewCommand(forms: Command): void {
  forms.description(`preview, ${forms.description()}`);

  forms
    .command('preview')
    .description(
      'issue a token for one form and one hour, and print only the token. With it you can fill in the form even if it is\n' +
        'inactive. Its submissions are tests: no export, webhook or count includes them, and they are deleted after a day.',
    )
    .argument('<slug>', 'as "forms list" shows it')
    .action(async (slug: string) => {
      const { previewForm } = await import('./preview-form.js');
      const { readEnvironment } = await import('../../../server/read-environment.js');
      const { port, publicUrl = `http://127.0.0.1:${port}` } = await readEnvironment(process.env);
      const isKnown = await withDatabase((dataSource) =>
        previewForm(dataSource, slug, async ({ plainToken, formUuid, expiresAt }) => {
          await print(plainToken);
          sayToOperator(
            `The token previews the form ${slug} and expires at ${expiresAt}. Its submissions are tests.\n` +
              `With the token in $TOKEN, begin one:\n\n` +
              `  curl -sS ${publicUrl}${API_PREFIX}/submissions -H "Authorization: Bearer $TOKEN" \\\n` +
              `    -H 'Content-Type: application/json' -d '{"form_uuid": "${formUuid}"}'\n`,
          );
        }),
      );
      if (!isKnown) throw noFormWithSlug(slug);
    });
}
