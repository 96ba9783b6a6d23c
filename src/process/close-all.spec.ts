import { closeAfter, closeAll } from './close-all.js';

/** Records the names that are closed. Names that begin with "bad" reject, names that begin with "sync" throw. */
function closings(...names: string[]) {
  const closed: string[] = [];
  const closing = names.map((name) => () => {
    closed.push(name);
    if (name.startsWith('sync')) throw new Error(name);
    return name.startsWith('bad') ? Promise.reject(new Error(name)) : Promise.resolve();
  });
  return { closed, closing };
}

const failing = () => Promise.reject(new Error('work'));
const attempt = (work: () => Promise<unknown>, closing: Iterable<() => Promise<unknown>>) => {
  const reported: string[] = [];
  return closeAfter(work, closing, ({ message }) => reported.push(message)).then(
    (value) => ({ value, reported }),
    (error: unknown) => ({ thrown: (error as Error).message, reported }),
  );
};

describe('closing', () => {
  it('continues in order after a failure, and returns all errors', async () => {
    const { closed, closing } = closings('a', 'bad b', 'sync c', 'd');
    expect(await closeAll(closing)).toEqual([new Error('bad b'), new Error('sync c')]);
    expect(closed).toEqual(['a', 'bad b', 'sync c', 'd']);
  });

  it('begins after the work, and includes everything that the work opened', async () => {
    const { closed, closing } = closings('a', 'b');
    const opened: typeof closing = [];
    const work = () => {
      opened.push(...closing);
      expect(closed).toEqual([]);
      return Promise.resolve('done');
    };
    expect(await attempt(work, opened)).toEqual({ value: 'done', reported: [] });
    expect(closed).toEqual(['a', 'b']);
  });

  it.each([
    ['the work fails', failing, ['a'], 'work', []],
    ['the work and the closing fail', failing, ['bad a', 'b', 'bad c'], 'work', ['bad a', 'bad c']],
    ['the work throws synchronously', () => closings('sync').closing[0]!(), ['bad a'], 'sync', ['bad a']],
    ['only the closing fails', () => Promise.resolve(), ['bad a', 'b', 'bad c'], 'bad a', ['bad c']],
  ])('throws the first error and reports the others if %s', async (_, work, names, thrown, reported) => {
    const { closed, closing } = closings(...names);
    expect(await attempt(work, closing)).toEqual({ thrown, reported });
    expect(closed).toEqual(names);
  });
});
