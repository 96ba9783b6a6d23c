import type { FormInLanguages } from './form-texts.js';

export const XLIFF = 'urn:oasis:names:tc:xliff:document:2.0';

/** Writes XLIFF 2.0. Each text is one unit with one segment, which tools must not divide. */
export function writeXliff({ slug, locale, units }: FormInLanguages, target: string): string {
  const lines = units.map(({ id, note, source, target }) =>
    [
      `    <unit id="${id}">`,
      `      <notes><note>${escapeXml(note)}</note></notes>`,
      `      <segment${target === undefined ? '' : ' state="translated"'}>`,
      `        <source xml:space="preserve">${contentOf(source)}</source>`,
      ...(target === undefined ? [] : [`        <target xml:space="preserve">${contentOf(target)}</target>`]),
      '      </segment>',
      '    </unit>\n',
    ].join('\n'),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="${XLIFF}" version="2.0" srcLang="${locale}" trgLang="${target}">
  <file id="${slug}" original="${slug}" canResegment="no">
${lines.join('')}  </file>
</xliff>
`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };

/** Parsers of XML turn a carriage return into a line feed unless it is escaped. */
const escapeMarkup = (text: string) => text.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? '');

/** Characters that XML 1.0 cannot contain. XLIFF has an element for each of them. */
// oxlint-disable-next-line no-control-regex
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const escapeXml = (text: string) => escapeMarkup(text).replace(NOT_IN_XML, '\u{fffd}');

const contentOf = (text: string) =>
  escapeMarkup(text).replace(
    NOT_IN_XML,
    (character) => `<cp hex="${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}"/>`,
  );
