import { UnauthenticatedError } from 'formtrail-client';
import { Draft } from 'formtrail-session';
import { useState } from 'preact/hooks';
import { ask } from '../page/dialog';
import { agoText } from '../page/time';
import { sentenceFor } from '../page/trouble';
import { NEW } from '../new-draft';
import { client } from '../service';
import { handOver } from '../visitor';

interface BeginButtonProps {
  readonly formUuid: string;
  readonly label?: string;
  readonly isSecondary?: boolean;
  readonly describedBy?: string;
  /** Gets the UUID of the draft that the user continues, or `new` for a draft that begins with the first answer. */
  readonly onOpen: (draftUuid: string) => void;
}

/** Opens a draft, which begins with the first answer. If the user has one already, asks whether to continue it. */
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

/** UUID of the draft to open, or `new`. Undefined if the user cancels. */
async function chosenDraft(form_uuid: string): Promise<string | undefined> {
  const { data } = await client.listSubmissions({ form_uuid, status: 'draft', per_page: 1 });
  const newest = data[0];
  const choice =
    newest === undefined
      ? 'new'
      : await askWhichDraft(`Your draft of this form was last changed ${agoText(newest.updated_at)}.`);
  if (choice === 'new') {
    handOver(new Draft({ client, form: form_uuid, submission: null }));
    return NEW;
  }
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
