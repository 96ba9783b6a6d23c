import { useEffect, useState } from 'preact/hooks';

/** Milliseconds. Most requests are faster, so that the button does not flicker. */
const PATIENCE = 300;

interface ActionButtonProps {
  readonly label: string;
  /** Shown while the button's action takes long, such as "Checking…". */
  readonly waiting: string;
  /** Whether the button's own action is running. */
  readonly isRunning: boolean;
  /** Whether any action is running. The button then does nothing, but keeps the focus. */
  readonly isBusy: boolean;
  /** Without it, the button submits its form. */
  readonly onClick?: () => void;
}

/** The main button of a page. While its action takes long, it shows and announces that. Its size stays the same. */
export function ActionButton({ label, waiting, isRunning, isBusy, onClick }: ActionButtonProps) {
  const isSlow = useSlow(isRunning);
  return (
    <>
      <button
        type={onClick === undefined ? 'submit' : 'button'}
        class="primary action"
        aria-disabled={isBusy}
        aria-busy={isSlow}
        onClick={onClick}
      >
        <span>{label}</span>
        <span>
          <span class="spinner" aria-hidden="true" />
          {waiting}
        </span>
      </button>
      {/* Always rendered, because screen readers announce only changes in an existing element. */}
      <p class="visually-hidden" aria-live="polite">
        {isSlow && waiting}
      </p>
    </>
  );
}

/** Whether it has been so for longer than {@link PATIENCE}. */
function useSlow(isRunning: boolean): boolean {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(() => setIsSlow(true), PATIENCE);
    return () => {
      clearTimeout(timer);
      setIsSlow(false);
    };
  }, [isRunning]);
  return isSlow;
}
