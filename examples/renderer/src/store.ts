import { useEffect, useState } from 'preact/hooks';

/** A state that components follow. */
export class Store<State> {
  private readonly listeners = new Set<(state: State) => void>();

  constructor(private current: State) {}

  get state(): State {
    return this.current;
  }

  set(state: State): void {
    this.current = state;
    for (const listener of this.listeners) listener(state);
  }

  subscribe(listener: (state: State) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function useStore<State>(store: Store<State>): State {
  const [state, setState] = useState(store.state);
  useEffect(() => {
    // It may have changed between the rendering and this.
    setState(store.state);
    return store.subscribe(setState);
  }, [store]);
  return state;
}
