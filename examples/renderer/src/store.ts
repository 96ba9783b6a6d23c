import { useEffect, useState } from 'preact/hooks';

/** State that components can subscribe to: a {@link Store}, or a draft of formtrail-session. */
interface Subscribable<State> {
  getSnapshot(): State;
  subscribe(listener: () => void): () => void;
}

export class Store<State> implements Subscribable<State> {
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

export function useStore<State>(store: Subscribable<State>): State {
  const [state, setState] = useState(store.getSnapshot());
  useEffect(() => {
    const update = () => setState(store.getSnapshot());
    // The state may have changed since the rendering.
    update();
    return store.subscribe(update);
  }, [store]);
  return state;
}
