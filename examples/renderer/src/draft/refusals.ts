import { FormtrailError, InvalidError } from 'formtrail-client';
import type { AnswerKey } from './answer-key';

/** What to say beside an answer. */
export type Messages = ReadonlyMap<AnswerKey, string>;

/** The messages of a refused `storeValues` by answer: `values.2.value` is about the third value that was sent. */
export function refusalsOf(error: unknown, sent: readonly { key: AnswerKey; value: string }[]): Messages {
  if (error instanceof FormtrailError && error.status === 413) return tooLong(sent);
  const messages = new Map<AnswerKey, string>();
  if (!(error instanceof InvalidError)) return messages;
  for (const [path, [message = error.message]] of Object.entries(error.errors)) {
    const index = /^values\.(\d+)\./.exec(path)?.[1];
    const answer = index === undefined ? undefined : sent[Number(index)];
    if (answer !== undefined) messages.set(answer.key, aboutThis(message, path));
  }
  return messages;
}

/** The service names what is wrong by its code or its path, which say nothing beside the question. */
export function aboutThis(message: string, name: string): string {
  return message.replace(`The ${name} `, 'This ');
}

/** The request was too large as a whole: what can be shortened is its longest value. */
function tooLong(sent: readonly { key: AnswerKey; value: string }[]): Messages {
  const [longest] = [...sent].sort((a, b) => b.value.length - a.value.length);
  return new Map(longest && [[longest.key, 'This is too long to be saved. Shorten it.']]);
}
