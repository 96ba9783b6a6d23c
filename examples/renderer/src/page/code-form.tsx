import { InvalidError } from 'formtrail-client';
import { useEffect, useState } from 'preact/hooks';
import { sentenceFor } from './trouble';

const INPUT_ID = 'code';
const ERROR_ID = 'code-error';

interface CodeFormProps {
  /** The code of a link. The visitor has to confirm it, because somebody else may have sent the link. */
  readonly given?: string | undefined;
  /** Error of the last attempt. */
  readonly error?: unknown;
  readonly onCode: (code: string) => void;
}

/** Asks for a resume code. */
export function CodeForm({ given = '', error, onCode }: CodeFormProps) {
  const [code, setCode] = useState(given);
  const [isEmpty, setIsEmpty] = useState(false);
  const problem = isEmpty ? 'Enter the code.' : error === undefined ? undefined : sentenceOfCode(error);
  const focus = () => document.getElementById(INPUT_ID)?.focus();
  useEffect(() => {
    if (error !== undefined) focus();
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    setIsEmpty(code.trim() === '');
    if (code.trim() === '') focus();
    else onCode(code.trim());
  };
  return (
    <form noValidate onSubmit={submit}>
      <div class={problem === undefined ? 'field' : 'field has-error'}>
        <label for={INPUT_ID}>Resume code</label>
        <p class="description" id="code-description">
          Only enter a code that you made yourself. Anyone else who made it can read what you enter.
        </p>
        {/* Always rendered, because screen readers announce only changes in an existing element. */}
        <p class="error" id={ERROR_ID} role="alert">
          {problem}
        </p>
        <input
          id={INPUT_ID}
          autoComplete="off"
          autoCapitalize="characters"
          spellcheck={false}
          aria-invalid={problem !== undefined}
          aria-describedby={`code-description ${ERROR_ID}`}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </div>
      <p class="buttons">
        <button class={given === '' ? undefined : 'primary'}>Continue with the code</button>
      </p>
    </form>
  );
}

function sentenceOfCode(error: unknown): string {
  const isRejected = error instanceof InvalidError && error.errors.some(({ field }) => field === 'code');
  return isRejected
    ? 'This code does not work. It was mistyped, was used already, or has expired. Make a new one on the other device.'
    : sentenceFor(error);
}
