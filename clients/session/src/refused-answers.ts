// A chunk of its own, loaded when the service rejects an answer.
import type { Mistake } from 'formtrail-client';
import type { AnswerKey } from './answer-key.js';
import { isTooLarge, mistakesOf } from './mistakes.js';
import type { SentAnswer } from './stored-submission.js';

/**
 * Characters (V9). The service reports longer values itself, unless a single value exceeds the size of a request body: then the
 * service rejects the whole body.
 */
const LONGEST_VALUE = 65_535;

/** Field errors by answer: `values.2.value` is about the third answer sent. Empty if the error is not about single answers. */
export function refusedAnswers(error: unknown, sent: readonly SentAnswer[]): ReadonlyMap<AnswerKey, Mistake> {
  const refused = new Map<AnswerKey, Mistake>();
  if (isTooLarge(error) && sent[0]) {
    const { key } = sent[0];
    const { message: detail } = error;
    refused.set(key, { field: key, code: 'too_long', detail, params: { max: LONGEST_VALUE } });
  }
  for (const mistake of mistakesOf(error)) {
    const index = /^values\.(\d+)\./.exec(mistake.field)?.[1];
    const key = index && sent[Number(index)]?.key;
    if (key) refused.set(key, { ...mistake, field: key });
  }
  return refused;
}
