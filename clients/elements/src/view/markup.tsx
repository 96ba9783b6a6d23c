import { parseInline, parseMarkup, type Piece } from 'formtrail-session/markup';
import type { VNode } from 'preact';
import type { Words } from '../words.js';

const TAGS = {
  ...{ paragraph: 'p', list: 'ul', 'numbered-list': 'ol', item: 'li' },
  ...{ emphasis: 'em', strong: 'strong' },
} as const;

interface MarkupProps {
  readonly text: string;
  readonly words: Words;
  /** Paragraphs and lists, as in a description. Otherwise the text is a label. */
  readonly isBlock?: boolean;
}

/** A text of the form with its markup. */
export function Markup({ text, words, isBlock }: MarkupProps) {
  const show = (piece: Piece): VNode | string => {
    if (piece.kind === 'text') return piece.text;
    if (piece.kind === 'break') return <br />;
    const content = piece.content.map(show);
    if (piece.kind !== 'link') {
      // The number is only that of a numbered list.
      const Tag = TAGS[piece.kind] as 'ol';
      return <Tag start={'start' in piece ? piece.start : undefined}>{content}</Tag>;
    }
    const { href } = piece;
    // An email program opens no tab.
    if (/^mailto/i.test(href)) return <a {...{ href }}>{content}</a>;
    return (
      <a {...{ href }} target="_blank" rel="noopener noreferrer">
        {content}
        <span class="visually-hidden"> {words.text.newTab}</span>
      </a>
    );
  };
  return <>{(isBlock ? parseMarkup : parseInline)(text).map(show)}</>;
}
