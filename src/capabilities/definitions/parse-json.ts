import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { unstorableJsonReason } from '../../http/bodies/storable-text.js';
import type { Position } from './definition-error.js';

export interface ParsedJson {
  /** Undefined if the text is not JSON. */
  readonly value: unknown;
  readonly mistakes: readonly (Position & { readonly path: string; readonly message: string })[];
  /** Returns the position of a path in the text: of the key for a member, and of the closest parent for a missing value. */
  readonly positionOf: (path: string) => Position;
}

/** A deeper value could overflow the call stack when it is serialized. */
const MAX_DEPTH = 1_000;
const STOPPED = new Error('The text is not parsed any further.');

/**
 * Parses JSON (RFC 8259) that is to be stored. Reports syntax errors, and text and numbers that PostgreSQL cannot store (V10).
 * Reports duplicate keys, because one of their values would be lost silently.
 */
export function parseJson(text: string): ParsedJson {
  const positions = new Map<string, Position>();
  const mistakes: (Position & { path: string; message: string })[] = [];
  const stop = (position: Position, message: string): never => {
    mistakes.push({ path: '', ...position, message });
    throw STOPPED;
  };
  const visitNode = (path: string, position: Position, literal: unknown = null) => {
    // The visitor reports the key of a member before its value, and both have the same path.
    const first = positions.get(path) ?? position;
    positions.set(path, first);
    const why = unstorableJsonReason(literal)?.why;
    if (why !== undefined) mistakes.push({ path, ...first, message: `${why}, which cannot be stored` });
  };
  const visitContainer: JSONVisitor['onArrayBegin'] = (_offset, _length, line, character, segmentsOf) => {
    const segments = segmentsOf();
    visitNode(pathOf(segments), positionAt(line, character));
    if (segments.length >= MAX_DEPTH)
      stop(positionAt(line, character), `is nested more than ${MAX_DEPTH} levels deep`);
  };
  const visitor: JSONVisitor = {
    onObjectBegin: visitContainer,
    onArrayBegin: visitContainer,
    onObjectProperty: (key, _offset, _length, line, character, segmentsOf) => {
      const path = pathOf([...segmentsOf(), key]);
      const position = positionAt(line, character);
      if (positions.has(path)) mistakes.push({ path, ...position, message: 'is a duplicate key' });
      visitNode(path, position, key);
    },
    onLiteralValue: (value, _offset, _length, line, character, segmentsOf) => {
      visitNode(pathOf(segmentsOf()), positionAt(line, character), value);
    },
    onError: (code, offset, length, line, character) => {
      const token = text.slice(offset, offset + length);
      stop(positionAt(line, character), syntaxMessage(printParseErrorCode(code), token));
    },
  };
  try {
    visit(text, visitor, { disallowComments: true });
  } catch (error) {
    if (error !== STOPPED) throw error;
    return { value: undefined, mistakes, positionOf: () => positionAt(0, 0) };
  }
  const positionOf = (path: string): Position =>
    positions.get(path) ??
    positionOf(path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['), 0)));
  return { value: JSON.parse(text), mistakes, positionOf };
}

/** Formats a path, for example `steps[1].fields[3].label`. */
export function pathOf(segments: readonly (string | number)[]): string {
  return segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    if (!/^[\w$]+$/.test(segment)) return `${path}[${JSON.stringify(segment)}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
}

function positionAt(line: number, character: number): Position {
  return { line: line + 1, column: character + 1 };
}

const EXPECTED: Readonly<Record<string, string>> = {
  ValueExpected: 'a value is expected here',
  PropertyNameExpected: 'a key in double quotes is expected here',
  ColonExpected: '":" is expected here',
  CommaExpected: '"," or a closing bracket is expected here',
  CloseBraceExpected: '"}" is expected here',
  CloseBracketExpected: '"]" is expected here',
  EndOfFileExpected: 'the end of the file is expected here',
  InvalidSymbol: 'keys and texts must be in double quotes',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfString: 'a text must end with a double quote on its line',
  UnexpectedEndOfNumber: 'a number must be complete',
  InvalidUnicode: '\\u must have four hexadecimal digits after it',
  InvalidEscapeCharacter: 'a backslash must begin an escape of JSON',
  InvalidCharacter: 'control characters must be escaped',
};

function syntaxMessage(error: string, token: string): string {
  const found = token.slice(0, 30).replace(/\p{Cc}/gu, '\u{fffd}');
  const expected = EXPECTED[error] ?? 'this must be JSON';
  return `${expected}, but ${found === '' ? 'the file ends' : `there is ${found}`}`;
}
