import { useEffect, useState } from 'preact/hooks';

/** What components can follow: a {@link Store}, or a draft of formtrail-session. */
interface Followed<State> {
  getSnapshot(): State;
  subscribe(listener: () => void): () => void;
}

export class Store<State> implements Followed<State> {
  private readonly listeners = new Set<() => void>();

  constructor(private current: State) {}

  getSnapshot(): State {
    return this.current;
  }

  set(state: State): void {
    this.current = state;
    for (const listener of this.listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function useStore<State>(store: Followed<State>): State {
  const [state, setState] = useState(store.getSnapshot());
  useEffect(() => {
    const follow = () => setState(store.getSnapshot());
    // It may have changed between the rendering and this.
    follow();
    return store.subscribe(follow);
  }, [store]);
  return state;
}
