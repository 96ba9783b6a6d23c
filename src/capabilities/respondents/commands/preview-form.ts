import type { DataSource } from 'typeorm';
import { requireOneServer } from '../../../database/distribution.js';
import { issuePreviewToken } from '../issue-preview-token.js';
import { asOperator } from '../../../cli/as-operator.js';

/**
 * Issues a token with which the operator can try a form (P10). Rolls back if `show` fails. Returns false if no form has the slug.
 */
export function previewForm(
  dataSource: DataSource,
  slug: string,
  show: (preview: { plainToken: string; formUuid: string; expiresAt: string }) => Promise<void>,
) {
  return asOperator(dataSource, async (manager) => {
    await requireOneServer(
      manager,
      'Previews',
      'Import the form into a database of one server to preview it.',
    );
    const [form] = await manager.query<{ id: number; uuid: string }[]>(
      'select id, uuid from forms where slug = $1 for key share',
      [slug],
    );
    if (form === undefined) return false;
    const { plainToken, token } = await issuePreviewToken(manager, { formId: form.id });
    const expiresAt = token.expiresAt?.toISOString().replace(/\.\d+Z$/, 'Z') ?? 'never';
    await show({ plainToken, formUuid: form.uuid, expiresAt });
    return true;
  });
}
