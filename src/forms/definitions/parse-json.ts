import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { unstorableJson } from '../../http/storable-text.js';
import type { Place } from './definition-error.js';

export interface ParsedJson {
  /** Undefined where the text is not JSON. */
  readonly value: unknown;
  readonly mistakes: readonly (Place & { readonly path: string; readonly message: string })[];
  /** Where a path leads to in the text: a member by its key. What is not there is where it would be. */
  readonly placeOf: (path: string) => Place;
}

type Segments = readonly (string | number)[];

/** More would be too deep for what writes it again. */
const MAX_DEPTH = 1_000;
const STOPPED = new Error('The text is not read any further.');

/**
 * Parses JSON (RFC 8259) that is to be stored. Beside what is not JSON, mistakes are a key that is there twice in an
 * object, because one of its values would be lost silently, and what PostgreSQL cannot hold (V10).
 */
export function parseJson(text: string): ParsedJson {
  const places = new Map<string, Place>();
  const mistakes: (Place & { path: string; message: string })[] = [];
  const report = (path: string, place: Place, message: string) => mistakes.push({ path, ...place, message });
  const stop = (place: Place, message: string): never => {
    report('', place, message);
    throw STOPPED;
  };
  const meet = (segments: Segments, place: Place, literal: unknown = null) => {
    const path = pathOf(segments);
    // Of a member the key comes first, and then the value.
    const first = places.get(path) ?? place;
    places.set(path, first);
    const why = unstorableJson(literal);
    if (why !== undefined) report(path, first, `${why}, which cannot be stored`);
  };
  const open = (_offset: number, _length: number, line: number, character: number, path: () => Segments) => {
    const segments = path();
    meet(segments, placeAt(line, character));
    if (segments.length >= MAX_DEPTH)
      stop(placeAt(line, character), `is nested more than ${MAX_DEPTH} levels deep`);
  };
  const visitor: JSONVisitor = {
    onObjectBegin: open,
    onArrayBegin: open,
    onObjectProperty: (key, _offset, _length, line, character, path) => {
      const segments = [...path(), key];
      if (places.has(pathOf(segments))) report(pathOf(segments), placeAt(line, character), 'is there twice');
      meet(segments, placeAt(line, character), key);
    },
    onLiteralValue: (value, _offset, _length, line, character, path) => {
      meet(path(), placeAt(line, character), value);
    },
    onError: (code, offset, length, line, character) => {
      const sentence = syntaxSentence(printParseErrorCode(code), text.slice(offset, offset + length));
      stop(placeAt(line, character), sentence);
    },
  };
  try {
    visit(text, visitor, { disallowComments: true });
  } catch (error) {
    if (error !== STOPPED) throw error;
    return { value: undefined, mistakes, placeOf: () => placeAt(0, 0) };
  }
  const placeOf = (path: string): Place =>
    places.get(path) ?? placeOf(path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['), 0)));
  return { value: JSON.parse(text), mistakes, placeOf };
}

/** As in `steps[1].fields[3].label`. */
export function pathOf(segments: Segments): string {
  return segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    if (!/^[\w$]+$/.test(segment)) return `${path}[${JSON.stringify(segment)}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
}

function placeAt(line: number, character: number): Place {
  return { line: line + 1, column: character + 1 };
}

/** What the errors of jsonc-parser ask for. */
const SYNTAX: Readonly<Record<string, string>> = {
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

function syntaxSentence(error: string, token: string): string {
  const found = token.slice(0, 30).replace(/\p{Cc}/gu, '\u{fffd}');
  const wanted = SYNTAX[error] ?? 'this must be JSON';
  return `${wanted}, but ${found === '' ? 'the file ends' : `there is ${found}`}`;
}
