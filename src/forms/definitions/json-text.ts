const WHITE_SPACE = /[ \t\n\r]*/y;
const TOKEN = new RegExp(
  [
    String.raw`[[\]{}:,]`,
    String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001f]*)*"`,
    String.raw`(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])`,
  ].join('|'),
  'y',
);

const EXPECTED = {
  value: 'a value',
  'first element': 'a value or "]"',
  'next element': '"," or "]"',
  'first key': 'a key in double quotes or "}"',
  key: 'a key in double quotes',
  colon: '":"',
  'next key': '"," or "}"',
  end: 'the end of the file',
} as const;
type Expectation = keyof typeof EXPECTED;

/**
 * Parses JSON (RFC 8259) and names the line and the column of a mistake, which JSON.parse does for some only.
 * A key that is there twice in an object is a mistake too, because one of its values would be lost silently.
 */
export function parseJson(text: string): { readonly value: unknown } | { readonly mistake: string } {
  const scan = new Scan();
  let offset = 0;
  for (let isDone = false; !isDone;) {
    offset += matchAt(WHITE_SPACE, text, offset)?.length ?? 0;
    const token = matchAt(TOKEN, text, offset);
    const isForeign = token === undefined && offset < text.length;
    const mistake = isForeign
      ? `${scan.surprise(excerpt(text, offset))}, which is not JSON`
      : scan.take(token ?? '');
    if (mistake !== undefined) return { mistake: `${place(text, offset)}: ${mistake}` };
    offset += token?.length ?? 0;
    isDone = token === undefined;
  }
  return { value: JSON.parse(text) };
}

/** What the tokens of a JSON text add up to, one after the other. */
class Scan {
  private expectation: Expectation = 'value';
  /** The keys met so far of each open object, undefined for an array; the innermost is the last. */
  private readonly open: (Set<string> | undefined)[] = [];

  /** Takes the next token, '' at the end; returns what is wrong with it. */
  take(token: string): string | undefined {
    const isFirst = this.expectation === 'first key' || this.expectation === 'first element';
    if ((token === '}' || token === ']') && (isFirst || this.expectation.startsWith('next'))) {
      if ((token === '}') !== (this.open.at(-1) !== undefined)) return this.surprise(token);
      this.open.pop();
      return this.valueEnds();
    }
    switch (this.expectation) {
      case 'value':
      case 'first element':
        return this.takeValue(token);
      case 'key':
      case 'first key':
        return this.takeKey(token);
      case 'colon':
        return this.takeSign(token, ':', 'value');
      case 'next element':
        return this.takeSign(token, ',', 'value');
      case 'next key':
        return this.takeSign(token, ',', 'key');
      case 'end':
        return token === '' ? undefined : this.surprise(token);
    }
  }

  surprise(token: string): string {
    const found = token === '' ? 'the file ends' : `there is ${excerpt(token, 0)}`;
    return `${EXPECTED[this.expectation]} is expected here, but ${found}`;
  }

  private takeValue(token: string): string | undefined {
    if (token === '{' || token === '[') {
      this.open.push(token === '{' ? new Set() : undefined);
      this.expectation = token === '{' ? 'first key' : 'first element';
      return undefined;
    }
    return /^[\]},:]?$/.test(token) ? this.surprise(token) : this.valueEnds();
  }

  private takeKey(token: string): string | undefined {
    if (!token.startsWith('"')) return this.surprise(token);
    const key = JSON.parse(token) as string;
    const keys = this.open.at(-1);
    if (keys?.has(key)) return `the key ${excerpt(token, 0)} is there twice in one object`;
    keys?.add(key);
    this.expectation = 'colon';
    return undefined;
  }

  private takeSign(token: string, sign: string, next: Expectation): string | undefined {
    if (token !== sign) return this.surprise(token);
    this.expectation = next;
    return undefined;
  }

  private valueEnds(): string | undefined {
    if (this.open.length === 0) this.expectation = 'end';
    else this.expectation = this.open.at(-1) === undefined ? 'next element' : 'next key';
    return undefined;
  }
}

function matchAt(pattern: RegExp, text: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0];
}

function excerpt(text: string, offset: number): string {
  return (text.slice(offset, offset + 30).split(/[\r\n]/, 1)[0] ?? '').replace(/\p{Cc}/gu, '�');
}

function place(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
