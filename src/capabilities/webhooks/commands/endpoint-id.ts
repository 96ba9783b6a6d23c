import { InvalidArgumentError } from 'commander';
import { CommandError } from '../../../cli/command-error.js';
import { parseNumber } from '../../../cli/option-values.js';

export const ENDPOINT_ID_HINT = 'as "webhooks list" shows it';

export const noEndpoint = (id: number) =>
  new CommandError(`There is no endpoint with the id ${id}. "webhooks list" shows all endpoints.`);

export const parseEndpointId = (text: string) => parseNumber(text, '"webhooks list"');

/** Returns the normalised URL. Rejects a user and a fragment, because deliveries would not send them. */
export function parseHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username + url.password + url.hash !== '')
    throw new InvalidArgumentError(
      'It must be an http or https URL without a user and a fragment, such as https://crm.example.org/hooks.',
    );
  return url.href;
}
