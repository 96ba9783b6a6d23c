import fc from 'fast-check';
import { hasCycle, stronglyConnected } from './cycles.js';

describe('the strongly connected components of a graph', () => {
  const graphs = fc
    .integer({ min: 1, max: 12 })
    .chain((size) =>
      fc.array(fc.array(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }),
    );

  it('are the sets of vertices that reach each other, each after the sets that it depends on', () => {
    fc.assert(
      fc.property(graphs, (dependencies) => {
        const components = stronglyConnected(dependencies);
        expect(components.flat().toSorted((a, b) => a - b)).toEqual([...dependencies.keys()]);
        const place = new Map(components.flatMap((members, at) => members.map((vertex) => [vertex, at])));
        const reach = dependencies.map((_, vertex) => reachable(dependencies, vertex));
        const wrong: string[] = [];
        for (const a of dependencies.keys()) {
          for (const b of dependencies.keys()) {
            const isMutual = reach[a]!.has(b) && reach[b]!.has(a);
            if (a !== b && isMutual !== (place.get(a) === place.get(b))) wrong.push(`${a} with ${b}`);
            if (reach[a]!.has(b) && place.get(b)! > place.get(a)!) wrong.push(`${a} before ${b}`);
          }
          if (hasCycle(components[place.get(a)!]!, dependencies) !== reach[a]!.has(a))
            wrong.push(`cycle at ${a}`);
        }
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('are found in chains and cycles that are longer than the stack', () => {
    const size = 100_000;
    const chain = Array.from({ length: size }, (_, vertex) => (vertex + 1 < size ? [vertex + 1] : []));
    expect(stronglyConnected(chain)).toHaveLength(size);
    const cycle = Array.from({ length: size }, (_, vertex) => [(vertex + 1) % size]);
    expect(stronglyConnected(cycle)).toHaveLength(1);
  });
});

/** The vertices that can be reached in one step or more. */
function reachable(dependencies: readonly (readonly number[])[], from: number): Set<number> {
  const seen = new Set<number>();
  const left = [...dependencies[from]!];
  for (let vertex = left.pop(); vertex !== undefined; vertex = left.pop()) {
    if (seen.has(vertex)) continue;
    seen.add(vertex);
    left.push(...dependencies[vertex]!);
  }
  return seen;
}
