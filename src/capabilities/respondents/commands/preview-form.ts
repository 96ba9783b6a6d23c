import type { DataSource } from 'typeorm';
import { Form } from '../../../forms/entities/form.js';
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
    const form = await manager.findOne(Form, { where: { slug }, lock: { mode: 'for_key_share' } });
    if (form === null) return false;
    const { plainToken, token } = await issuePreviewToken(manager, { formId: form.id });
    const expiresAt = token.expiresAt?.toISOString().replace(/\.\d+Z$/, 'Z') ?? 'never';
    await show({ plainToken, formUuid: form.uuid, expiresAt });
    return true;
  });
}
