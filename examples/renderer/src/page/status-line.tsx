import { FormtrailError } from 'formtrail-client';
import type { Saving } from 'formtrail-session';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { say } from '../sentences';
import { waitingUntil } from '../service';
import { useStore } from '../store';

export interface StatusLineProps {
  readonly saving?: Saving | undefined;
  readonly isUploading?: boolean;
}

/** Shows whether the answers are saved, or that the client waits for the rate limit. */
export function StatusLine({ saving, isUploading = false }: StatusLineProps) {
  const until = useStore(waitingUntil);
  const secondsLeft = useSecondsUntil(until);
  const totalSeconds = useMemo(() => secondsUntil(until), [until]);
  const isWaiting = until !== undefined;
  return (
    <div class="status" data-kind={isWaiting ? 'waiting' : saving?.kind}>
      {/* Screen readers announce the duration once; the countdown is hidden from them. */}
      <p role="status" class={isWaiting ? 'visually-hidden' : undefined}>
        {isWaiting ? waitSentence(totalSeconds) : saving && sentenceOf(saving, isUploading)}
      </p>
      {saving?.kind === 'saving' && saving.progress !== undefined && (
        <progress max={1} value={saving.progress} aria-label="Progress" />
      )}
      {isWaiting && <p aria-hidden="true">{waitSentence(secondsLeft)}</p>}
    </div>
  );
}

function waitSentence(seconds: number): string {
  return `Too many requests. Continuing in ${seconds} s`;
}

function sentenceOf(saving: Saving, isUploading: boolean): string {
  switch (saving.kind) {
    // Nothing to report, or the page asks for another token.
    case 'unchanged':
    case 'signed-out':
      return '';
    case 'saving':
      if (saving.progress !== undefined) return 'The first save takes seconds, to keep programs out.';
      return isUploading ? 'Uploading…' : 'Saving…';
    case 'saved':
      return 'Saved';
    case 'incomplete':
      return 'Some answers are not saved';
    case 'offline':
      return 'You are offline; your answers are kept on this device';
    case 'failing': {
      const reason = saving.error instanceof FormtrailError ? say.problem(saving.error) : '';
      return `${reason} Your answers are kept on this device`;
    }
  }
}

function useSecondsUntil(time: number | undefined): number {
  const [, tick] = useState(0);
  useEffect(() => {
    if (time === undefined) return;
    const timer = setInterval(() => tick((ticks) => ticks + 1), 1000);
    return () => clearInterval(timer);
  }, [time]);
  return secondsUntil(time);
}

function secondsUntil(time = 0): number {
  return Math.max(1, Math.ceil((time - Date.now()) / 1000));
}
