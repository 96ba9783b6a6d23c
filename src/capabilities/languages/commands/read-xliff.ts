import { SaxesParser, type SaxesTagNS } from 'saxes';
import { type FileUnit, MAX_UNITS, type TranslationFile, UnreadableFile } from './translation-file.js';
import { XLIFF } from './write-xliff.js';

/** Tools may nest groups, but no file needs more. */
const MAX_DEPTH = 50;

/** Elements around a part of a text that say something about it. The text itself is the same without them. */
const ANNOTATIONS = ['mrk', 'sm', 'em'];

interface OpenUnit {
  readonly id: string;
  readonly line: number;
  segments: number;
  source: string;
  target: string | undefined;
}

/**
 * Reads XLIFF 2. The parser knows only the entities of XML itself, and files with a DOCTYPE are refused.
 *
 * @throws UnreadableFile
 */
export function readXliff(text: string): TranslationFile {
  const parser = new SaxesParser({ xmlns: true });
  const open: string[] = [];
  const units: FileUnit[] = [];
  let languages = { sourceLocale: '', locale: '' };
  let slug: string | undefined;
  let unit: OpenUnit | undefined;

  const stop = (message: string): never => {
    throw new UnreadableFile({ line: parser.line, message });
  };
  /** The key of the text that the parser is in. */
  const textKey = () => {
    const at = open.lastIndexOf('segment') + 1;
    const isAnnotated = open.slice(at + 1).every((name) => ANNOTATIONS.includes(name));
    return at > 0 && isAnnotated && (open[at] === 'source' || open[at] === 'target') ? open[at] : undefined;
  };
  const append = (text: string) => {
    const key = textKey();
    if (unit !== undefined && key !== undefined) unit[key] = (unit[key] ?? '') + text;
  };
  const valueOf = ({ attributes }: SaxesTagNS, name: string) => attributes[name]?.value;

  const begin: Readonly<Record<string, (tag: SaxesTagNS) => void>> = {
    xliff: (tag) => {
      const [sourceLocale, locale] = [valueOf(tag, 'srcLang') ?? '', valueOf(tag, 'trgLang') ?? ''];
      if (locale === '') stop('has no trgLang, the language of the translations; add it to <xliff>');
      languages = { sourceLocale, locale };
    },
    file: (tag) => {
      const original = valueOf(tag, 'original');
      if (slug !== undefined && original !== slug)
        stop(
          'begins a second <file> with texts of another form; import the texts of each form by themselves',
        );
      slug = original;
    },
    unit: (tag) => {
      if (units.length >= MAX_UNITS) stop(`has more than ${MAX_UNITS} units; no form has so many texts`);
      const id = valueOf(tag, 'id') ?? stop('is a <unit> without an id; export the texts again');
      unit = { id, line: parser.line, segments: 0, source: '', target: undefined };
    },
    segment: () => {
      if (unit === undefined) return;
      unit.segments += 1;
      if (unit.segments > 1)
        stop(`divides the text "${unit.id}" into segments; let the tool keep each text as one segment`);
    },
    ignorable: () => stop('divides a text into segments; let the tool keep each text as one segment'),
    source: () => append(''),
    target: () => append(''),
    cp: (tag) => {
      const hex = valueOf(tag, 'hex') ?? '';
      const code = /^[\dA-Fa-f]{1,6}$/.test(hex) ? Number.parseInt(hex, 16) : Infinity;
      if (code > 0x10ffff) stop(`has <cp hex="${hex}"/>, which is no character`);
      open.pop();
      append(String.fromCodePoint(code));
      open.push('cp');
    },
  };

  parser.on('error', ({ message }) => stop(`is not XML: ${message.replace(/^\d+:\d+: /, '')}`));
  parser.on('doctype', () => stop('has a DOCTYPE, which is refused; remove it'));
  parser.on('opentag', (tag) => {
    if (open.length === 0 && (tag.local !== 'xliff' || tag.uri !== XLIFF))
      stop(
        'is not XLIFF 2.0: the first element must be <xliff> of version 2.0; let the tool write this version',
      );
    if (open.length >= MAX_DEPTH) stop(`nests more than ${MAX_DEPTH} elements`);
    const isText = textKey() !== undefined;
    const name = tag.uri === XLIFF ? tag.local : tag.name;
    open.push(tag.uri === XLIFF ? name : `:${name}`);
    if (isText && name !== 'cp' && !ANNOTATIONS.includes(name))
      stop(`has <${name}> in a text, but texts of forms have no elements; write the characters themselves`);
    if (tag.uri === XLIFF && Object.hasOwn(begin, name)) begin[name]?.(tag);
  });
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => {
    if (open.pop() !== 'unit' || unit === undefined) return;
    const { segments: _, ...read } = unit;
    units.push(read);
    unit = undefined;
  });
  parser.write(text).close();
  return { slug, ...languages, units };
}
