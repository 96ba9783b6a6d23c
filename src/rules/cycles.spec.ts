import fc from 'fast-check';
import { hasCycle, stronglyConnected } from './cycles.js';

const sorted = (components: number[][]) => components.map((component) => component.toSorted((a, b) => a - b));

describe('the strongly connected components of a graph', () => {
  it.each<[string, number[][], number[][]]>([
    ['nothing', [], []],
    ['vertices on their own', [[], []], [[0], [1]]],
    ['a chain, from its end', [[1], [2], []], [[2], [1], [0]]],
    ['a chain the other way round', [[], [0], [1]], [[0], [1], [2]]],
    ['a loop', [[0]], [[0]]],
    ['a cycle of three', [[1], [2], [0]], [[0, 1, 2]]],
    ['a cycle that depends on another vertex', [[1], [0, 2], []], [[2], [0, 1]]],
    ['two cycles that share a vertex', [[1], [0, 2], [1]], [[0, 1, 2]]],
    [
      'two cycles, one leading to the other',
      [[1], [0, 2], [3], [2]],
      [
        [2, 3],
        [0, 1],
      ],
    ],
    ['a diamond', [[1, 2], [3], [3], []], [[3], [1], [2], [0]]],
    ['the same dependency twice', [[1, 1], []], [[1], [0]]],
  ])('of %s', (_, dependencies, components) => {
    expect(sorted(stronglyConnected(dependencies))).toEqual(components);
  });

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
        for (const a of dependencies.keys()) {
          for (const b of dependencies.keys()) {
            if (a === b) continue;
            const mutual = reach[a]!.has(b) && reach[b]!.has(a);
            expect(place.get(a) === place.get(b)).toBe(mutual);
            if (reach[a]!.has(b)) expect(place.get(b)).toBeLessThanOrEqual(place.get(a)!);
          }
          const component = components[place.get(a)!]!;
          expect(hasCycle(component, dependencies)).toBe(reach[a]!.has(a));
        }
      }),
    );
  });

  it('are found in chains and cycles that are longer than the stack', () => {
    const size = 200_000;
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
