import type { RespondentsService } from '../respondents/respondents.service.js';
import type { AddressLimitGuard } from '../throttling/address-limit.guard.js';
import type { ReadMetrics } from './readings.js';

/** Exports metrics of visitors who become respondents (P2, P5, P6). */
export function readRespondents(
  metrics: ReadMetrics,
  { counts }: RespondentsService,
  { refused }: AddressLimitGuard,
): void {
  metrics.counter('formtrail_respondents_total', 'Tokens of respondents that were issued.', ['event'], () => [
    [{ event: 'created' }, counts.created],
    [{ event: 'resumed' }, counts.resumed],
  ]);
  metrics.counter(
    'formtrail_respondents_refused_total',
    'Requests for a token of a respondent that were rejected.',
    ['reason'],
    () => [
      ...Object.entries(counts.refused).map(([reason, count]) => [{ reason }, count] as const),
      [{ reason: 'limit' }, refused.respondents],
      [{ reason: 'resume_limit' }, refused.resume],
    ],
  );
}
