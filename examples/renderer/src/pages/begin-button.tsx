import { UnauthenticatedError } from 'formtrail-client';
import { useState } from 'preact/hooks';
import { sentenceFor } from '../page/trouble';
import { client } from '../service';

interface BeginButtonProps {
  readonly formUuid: string;
  readonly label?: string;
  readonly describedBy?: string;
  readonly onBegun: (submissionUuid: string) => void;
}

export function BeginButton({ formUuid, label = 'Begin', describedBy, onBegun }: BeginButtonProps) {
  const [isBeginning, setIsBeginning] = useState(false);
  const [problem, setProblem] = useState<string>();

  const begin = async () => {
    if (isBeginning) return;
    setIsBeginning(true);
    setProblem(undefined);
    try {
      const { data } = await client.createSubmission(formUuid);
      onBegun(data.uuid);
    } catch (error) {
      // For an invalid token, the app shows the token page.
      if (!(error instanceof UnauthenticatedError)) setProblem(sentenceFor(error));
    } finally {
      setIsBeginning(false);
    }
  };

  return (
    <div class="buttons">
      <button
        type="button"
        class="primary"
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
