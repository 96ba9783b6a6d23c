import type { Contradictions, Texts } from '../../config/environment.js';
import { isAddressOrBlock, isKey, KEY } from '../../config/formats.js';
import { entriesOf, ListOf, MustBe, OneOf, Variable } from '../../config/variable.decorators.js';

export class WebhookSettings {
  /** Whether the server delivers webhooks. Unset: only with the embedded database. */
  @Variable('WEBHOOKS')
  @OneOf(['inline', 'off'])
  readonly webhooks: 'inline' | 'off' = 'off';

  /**
   * The key that encrypts the secrets of webhooks. Unset: with the embedded database, the service uses a generated key in a file.
   */
  @Variable('WEBHOOK_KEY')
  @MustBe(KEY, isKey, { secret: true })
  readonly webhookKey: string | undefined;

  /** Addresses outside the public internet that webhooks may be sent to (W5). */
  @Variable('WEBHOOK_ALLOW', entriesOf)
  @ListOf('IP addresses or CIDR blocks', isAddressOrBlock)
  readonly webhookAllow: readonly string[] = [];

  static complete(texts: Texts): void {
    if (texts['DATABASE_URL'] === undefined) texts['WEBHOOKS'] ??= 'inline';
  }

  static contradictions: Contradictions = (environment, _isSet, isInvalid) => {
    const { databaseUrl, webhooks, webhookKey } = environment.of<WebhookSettings>();
    const isWithoutKey = webhookKey === undefined && !isInvalid('WEBHOOK_KEY');
    return databaseUrl !== undefined && webhooks === 'inline' && isWithoutKey
      ? ['WEBHOOK_KEY must be set with WEBHOOKS=inline. "openssl rand -base64 32" prints one.']
      : [];
  };
}
