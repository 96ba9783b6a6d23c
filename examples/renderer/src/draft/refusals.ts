import { FormtrailError, InvalidError } from 'formtrail-client';
import { sentenceOfMistake } from '../sentences';
import type { AnswerKey, PlaceKey } from './answer-key';

/** What to say beside an answer, or of a group of entries. */
export type Messages = ReadonlyMap<PlaceKey, string>;

/** The mistakes of a refused `storeValues` by answer: `values.2.value` is about the third value that was sent. */
export function refusalsOf(
  error: unknown,
  sent: readonly { key: AnswerKey; value: string }[],
): ReadonlyMap<AnswerKey, string> {
  if (error instanceof FormtrailError && error.code === 'body_too_large') return tooLong(sent);
  const messages = new Map<AnswerKey, string>();
  if (!(error instanceof InvalidError)) return messages;
  for (const mistake of error.errors) {
    const index = /^values\.(\d+)\./.exec(mistake.field)?.[1];
    const answer = index === undefined ? undefined : sent[Number(index)];
    if (answer !== undefined) messages.set(answer.key, sentenceOfMistake(mistake));
  }
  return messages;
}

/** The request was too large as a whole: what can be shortened is its longest value. */
function tooLong(sent: readonly { key: AnswerKey; value: string }[]): ReadonlyMap<AnswerKey, string> {
  const [longest] = [...sent].sort((a, b) => b.value.length - a.value.length);
  return new Map(longest && [[longest.key, 'This is too long to be saved. Shorten it.']]);
}
