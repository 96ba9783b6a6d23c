// The part of Markdown that texts of a form may use (F13): `formtrail-session/markup`. A module of its own, because not every page needs
// it. Not a library: the smallest ones parse all of Markdown into HTML, and are larger than all of this package.

/** A part of a text. `href` begins with `http://`, `https://` or `mailto:`. Nothing here is HTML. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'break' }
  | (Link & { readonly content: readonly Piece[] })
  | {
      readonly kind: 'emphasis' | 'strong' | 'paragraph' | 'list' | 'item';
      readonly content: readonly Piece[];
    }
  | { readonly kind: 'numbered-list'; readonly start: number; readonly content: readonly Piece[] };

interface Link {
  readonly kind: 'link';
  readonly href: string;
}

const LINE_BREAK = /\r\n?|\n/g;
/** Finds an escaped mark, a run of marks, the end of a link with its address, another bracket, or a line break. */
const MARK =
  /\\([!-/:-@[-`{-~])|\*+|_+|\](?:\(((?:https?:\/\/|mailto:)[^\s\p{C}()<>"]*(?:\([^\s\p{C}()<>"]*\)[^\s\p{C}()<>"]*)*)\))?|\[|\n/giu;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const ITEM = /^\s*(?:[-*]|(\d{1,9})\.)\s+(\S.*)$/;

/**
 * Parses a text of one paragraph, such as a label: links, emphasis and line breaks. Marks within words are text ("Teilnehmer*innen"), and
 * so are marks without an end. The time is proportional to the length, and at most 5 pieces are nested.
 */
export function parseInline(text: string): Piece[] {
  const source = text.replace(LINE_BREAK, '\n');
  const pieces: Piece[] = [];
  /** The marks that may begin something, with their indexes in `pieces`. Only the last one of each kind may, which bounds the depth. */
  let begins: { readonly mark: string; readonly index: number }[] = [];
  let brackets: number[] = [];
  const put = (one: string) => pieces.push({ kind: 'text', text: one }) - 1;

  /** Everything after the mark at the index becomes the content of one piece. */
  const wrap = (at: number, kind: Link | { readonly kind: 'emphasis' | 'strong' }) => {
    pieces.push({ ...kind, content: pieces.splice(at).slice(1) });
    begins = begins.filter(({ index }) => index < at);
    while ((brackets.at(-1) ?? -1) > at) brackets.pop();
  };

  /** Ends what the marks can end, from the inside out. The rest of them begins something, or is text. */
  const putMarks = (marks: string, before = ' ', after = ' ') => {
    let rest = marks;
    const canEnd = before.trim() !== '' && !WORD.test(after);
    const canBegin = after.trim() !== '' && !WORD.test(before);
    while (canEnd) {
      const fitting = begins.filter(({ mark }) => rest.startsWith(mark));
      const begin = fitting.find(({ mark }) => mark === rest) ?? fitting.at(-1);
      if (!begin) break;
      wrap(begin.index, { kind: begin.mark.length > 1 ? 'strong' : 'emphasis' });
      rest = rest.slice(begin.mark.length);
    }
    for (const mark of rest.match(/..?/g) ?? []) {
      const index = put(mark);
      if (canBegin) begins = [...begins.filter((one) => one.mark !== mark), { mark, index }];
    }
  };

  let end = 0;
  for (const { 0: mark, 1: escaped, 2: href, index } of source.matchAll(MARK)) {
    if (index > end) put(source.slice(end, index));
    end = index + mark.length;
    if (mark === '\n') pieces.push({ kind: 'break' });
    else if (mark === '[') brackets.push(put(mark));
    else if (mark.startsWith(']')) {
      const at = brackets.pop();
      if (href === undefined || at === undefined || source[index - 1] === '[') put(mark);
      else {
        wrap(at, { kind: 'link', href });
        // A link contains no link.
        brackets = [];
      }
      // More marks are a line to write on.
    } else if (escaped !== undefined || mark.length > (mark.startsWith('_') ? 1 : 3)) put(escaped ?? mark);
    else putMarks(mark, source[index - 1], source[end]);
  }
  if (end < source.length) put(source.slice(end));
  return pieces;
}

/** Parses a text that may have several paragraphs, such as a description: also lists. */
export function parseMarkup(text: string): Piece[] {
  const blocks: {
    readonly start?: number | undefined;
    readonly isList: boolean;
    readonly items: string[][];
  }[] = [];
  /** The lines of the paragraph or item that is not at its end. */
  let lines: string[] | undefined;
  for (const line of text.split(LINE_BREAK)) {
    const last = blocks.at(-1);
    const [, number, item] = ITEM.exec(line) ?? [];
    const isInParagraph = lines !== undefined && last?.isList === false;
    if (line.trim() === '') lines = undefined;
    // Within a paragraph, "2026." at the beginning of a line is a number, and no list.
    else if (item !== undefined && !(isInParagraph && number !== undefined && number !== '1')) {
      const start = number === undefined ? undefined : Number(number);
      lines = [item];
      if (last?.isList && (last.start === undefined) === (start === undefined)) last.items.push(lines);
      else blocks.push({ start, isList: true, items: [lines] });
    } else if (lines && (isInParagraph || /^\s/.test(line))) lines.push(line);
    else {
      lines = [line];
      blocks.push({ isList: false, items: [lines] });
    }
  }
  return blocks.map(({ start, isList, items }): Piece => {
    const parsed = items.map((item) => parseInline(item.join('\n')));
    if (!isList) return { kind: 'paragraph', content: parsed.flat() };
    const content = parsed.map((one): Piece => ({ kind: 'item', content: one }));
    return start === undefined ? { kind: 'list', content } : { kind: 'numbered-list', start, content };
  });
}

/** The text without its marks, in one line: for places that show no markup, such as an attribute or a sentence. */
export function plainText(text: string): string {
  return plainTextOf(parseInline(text));
}

function plainTextOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) =>
      piece.kind === 'text' ? piece.text : piece.kind === 'break' ? ' ' : plainTextOf(piece.content),
    )
    .join('');
}
