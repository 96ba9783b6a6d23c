import { UnauthenticatedError } from 'formtrail-client';
import { useState } from 'preact/hooks';
import { ask } from '../page/dialog';
import { agoText } from '../page/time';
import { sentenceFor } from '../page/trouble';
import { client } from '../service';

interface BeginButtonProps {
  readonly formUuid: string;
  readonly label?: string;
  readonly isSecondary?: boolean;
  readonly describedBy?: string;
  /** Gets the UUID of the new draft, or of the draft that the user continues. */
  readonly onOpen: (submissionUuid: string) => void;
}

/** Begins a draft. If the user has one already, asks whether to continue it. */
export function BeginButton({
  formUuid,
  label = 'Begin',
  isSecondary,
  describedBy,
  onOpen,
}: BeginButtonProps) {
  const [isBeginning, setIsBeginning] = useState(false);
  const [problem, setProblem] = useState<string>();

  const begin = async () => {
    if (isBeginning) return;
    setIsBeginning(true);
    setProblem(undefined);
    try {
      const submission = await chosenDraft(formUuid);
      if (submission !== undefined) onOpen(submission);
    } catch (error) {
      // For an invalid token, the app shows the sign-in screen.
      if (!(error instanceof UnauthenticatedError)) setProblem(sentenceFor(error));
    } finally {
      setIsBeginning(false);
    }
  };

  return (
    <div class="buttons">
      <button
        type="button"
        class={isSecondary ? undefined : 'primary'}
        aria-describedby={describedBy}
        aria-disabled={isBeginning}
        onClick={() => void begin()}
      >
        {label}
      </button>
      {problem !== undefined && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** UUID of the draft to open, which may be a new one. Undefined if the user cancels. */
async function chosenDraft(form_uuid: string): Promise<string | undefined> {
  const { data } = await client.listSubmissions({ form_uuid, status: 'draft', per_page: 1 });
  const newest = data[0];
  const choice =
    newest === undefined
      ? 'new'
      : await askWhichDraft(`Your draft of this form was last changed ${agoText(newest.updated_at)}.`);
  if (choice === 'new') return (await client.createSubmission(form_uuid)).data.uuid;
  return choice && newest?.uuid;
}

/** `text` says which draft there is. */
export function askWhichDraft(text: string): Promise<'continue' | 'new' | undefined> {
  return ask({
    title: 'Continue your draft, or begin a new one?',
    text,
    choices: [
      { value: 'continue', label: 'Continue', look: 'primary' },
      { value: 'new', label: 'Begin a new one' },
    ],
  });
}
