import { runToCompletion } from './finish.js';

const NOT_FOUND = -1;

interface Vertex {
  readonly index: number;
  readonly dependencies: readonly number[];
  next: number;
  /** The position in the order of discovery. */
  found: number;
  /** The lowest `found` of the unsettled vertices that are known to be reachable from this one. */
  reaches: number;
  settled: boolean;
}

/**
 * Returns the strongly connected components of a graph, each one after the components that it depends on (Tarjan 1972,
 * "Depth-first search and linear graph algorithms"). `dependencies` lists the dependencies of each vertex. Takes linear time,
 * and does not recurse, because a chain of fields can be longer than the stack.
 */
export function stronglyConnected(dependencies: readonly (readonly number[])[]): number[][] {
  return runToCompletion(findComponents(dependencies));
}

/** Like {@link stronglyConnected}, but yields after each part of the work, because a graph may be large. */
export function* findComponents(
  dependencies: readonly (readonly number[])[],
): Generator<undefined, number[][]> {
  const vertices = dependencies.map((list, index): Vertex => ({
    index,
    dependencies: list,
    next: 0,
    found: NOT_FOUND,
    reaches: NOT_FOUND,
    settled: false,
  }));
  const components: number[][] = [];
  const unsettled: Vertex[] = [];
  const path: Vertex[] = [];
  let count = 0;

  const enter = (vertex: Vertex) => {
    vertex.found = vertex.reaches = count++;
    unsettled.push(vertex);
    path.push(vertex);
  };
  const leave = (vertex: Vertex) => {
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) parent.reaches = Math.min(parent.reaches, vertex.reaches);
    if (vertex.reaches !== vertex.found) return;
    const component = unsettled.splice(unsettled.lastIndexOf(vertex));
    for (const member of component) member.settled = true;
    components.push(component.map(({ index }) => index));
  };

  for (const root of vertices) {
    if (root.found === NOT_FOUND) enter(root);
    for (let vertex = path.at(-1); vertex !== undefined; vertex = path.at(-1)) {
      const dependency = vertices[vertex.dependencies[vertex.next++] ?? NOT_FOUND];
      if (dependency === undefined) leave(vertex);
      else if (dependency.found === NOT_FOUND) enter(dependency);
      else if (!dependency.settled) vertex.reaches = Math.min(vertex.reaches, dependency.found);
      yield;
    }
  }
  return components;
}

/** Whether the component has several fields, which depend on each other, or a single field that depends on itself. */
export function hasCycle([first, second]: readonly number[], dependencies: readonly (readonly number[])[]) {
  return second !== undefined || (first !== undefined && dependencies[first]?.includes(first) === true);
}
