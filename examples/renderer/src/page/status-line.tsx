import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Saving } from '../draft/draft-view';
import { waitingUntil } from '../service';
import { useStore } from '../store';

/** How the answers stand with the service, and whether it has to be waited for. */
export function StatusLine({ saving }: { saving?: Saving }) {
  const until = useStore(waitingUntil);
  const secondsLeft = useSecondsUntil(until);
  const secondsInAll = useMemo(() => secondsUntil(until), [until]);
  const isWaiting = until !== undefined;
  return (
    <div class="status" data-kind={isWaiting ? 'waiting' : saving?.kind}>
      {/* The countdown is for the eyes: a screen reader hears once how long it takes. */}
      <p role="status" class={isWaiting ? 'visually-hidden' : undefined}>
        {isWaiting ? waitSentence(secondsInAll) : saving && sentenceOf(saving)}
      </p>
      {isWaiting && <p aria-hidden="true">{waitSentence(secondsLeft)}</p>}
    </div>
  );
}

function waitSentence(seconds: number): string {
  return `Too many requests, going on in ${seconds} s`;
}

function sentenceOf(saving: Saving): string {
  switch (saving.kind) {
    case 'saved':
      return 'Saved';
    case 'saving':
      return 'Saving…';
    case 'partly-refused':
      return 'Saved, except for what is marked';
    case 'offline':
      return 'You are offline; your answers are kept on this device';
    case 'failing':
      return `${saving.reason} Your answers are kept on this device`;
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
