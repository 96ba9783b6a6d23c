import { InvalidError } from 'formtrail-client';
import { CODE } from '../ids.js';
import type { Words } from '../words.js';
import type { Visit } from '../visit.js';
import { textOf } from './device-english.js';

interface CodeFormProps {
  readonly visit: Visit;
  readonly words: Words;
  /** Error of the last action. */
  readonly error: unknown;
}

/** Asks for a resume code. */
export function CodeForm({ visit, words, error }: CodeFormProps) {
  const { problem } = words;
  const text = textOf(words);
  const isRefused = error instanceof InvalidError && error.errors.some(({ field }) => field === 'code');
  const failure = isRefused ? text.codeRefused : visit.code && error ? problem(error) : undefined;
  const message = visit.code === '' ? text.enterCode : failure;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const code = new FormData(event.currentTarget as HTMLFormElement).get('code') as string;
    void visit.useCode(code.trim());
  };
  return (
    <form part="code-form" noValidate onSubmit={submit}>
      <label part="label" for={CODE}>
        {text.code}
      </label>
      <p class="quiet" id="code-text">
        {text.codeText}
      </p>
      <p part="error" id="code-error" role="alert">
        {message}
      </p>
      <input
        id={CODE}
        name="code"
        dir="ltr"
        part="input"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck={false}
        defaultValue={visit.code ?? visit.given}
        aria-invalid={message !== undefined}
        aria-describedby="code-text code-error"
      />
      <button part="button">{text.useCode}</button>
    </form>
  );
}
