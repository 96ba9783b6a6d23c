import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(fileURLToPath(import.meta.url), '../..');
const maps = new Map();

/**
 * Returns the line numbers of TypeScript that the called functions cover, by the path of the file below src/. A function covers
 * its lines from the first to the last, comments and SQL included, without the functions in it that were not called. The
 * body of a module is no function.
 */
export function coveredLines(scripts) {
  const covered = scripts.map(({ url, functions }) => {
    const script = mapOf(fileURLToPath(url));
    const lines = new Set(
      calledRanges(functions, script.code.length).flatMap((range) => script.linesOf(range)),
    );
    return [script.source, lines];
  });
  return new Map(covered.filter(([, lines]) => lines.size > 0));
}

/** Returns the ranges of code whose innermost function was called. */
function calledRanges(functions, length) {
  const isCalled = new Uint8Array(length);
  const outerFirst = functions
    .map(({ functionName, ranges: [range] }) => ({ functionName, ...range }))
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { functionName, startOffset, endOffset, count } of outerFirst) {
    const isModule = functionName === '' && startOffset === 0 && endOffset === length;
    isCalled.fill(count > 0 && !isModule ? 1 : 0, startOffset, endOffset);
  }
  const ranges = [];
  for (let end, start = isCalled.indexOf(1); start >= 0; start = isCalled.indexOf(1, end)) {
    end = isCalled.indexOf(0, start);
    if (end < 0) end = length;
    ranges.push({ start, end });
  }
  return ranges;
}

function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file) {
  const code = readFileSync(file, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  const lineStarts = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const originalLine = (offset) => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    return map.findEntry(line, offset - lineStarts[line]).originalLine;
  };
  /** Returns no lines for helpers that the compiler adds. */
  const linesOf = ({ start, end }) => {
    const [first, last] = [originalLine(start), originalLine(end - 1)];
    if (first === undefined || last === undefined) return [];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  };
  const [source] = map.payload.sources;
  const absolute = path.resolve(path.dirname(file), source);
  return { code, source: path.relative(path.join(ROOT, 'src'), absolute).replaceAll(path.sep, '/'), linesOf };
}
