import { useCallback, useEffect, useState } from 'preact/hooks';

export type Load<Result> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Loads once per `key`; call `again` to repeat after a failure. */
export function useLoad<Result>(
  load: () => Promise<Result>,
  key: unknown,
): { load: Load<Result>; again: () => void } {
  const [state, setState] = useState<Load<Result>>({ kind: 'loading' });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isWanted = true;
    setState({ kind: 'loading' });
    load().then(
      (result) => isWanted && setState({ kind: 'loaded', result }),
      (error: unknown) => isWanted && setState({ kind: 'failed', error }),
    );
    return () => {
      isWanted = false;
    };
  }, [key, attempt]);
  return { load: state, again: useCallback(() => setAttempt((attempts) => attempts + 1), []) };
}
