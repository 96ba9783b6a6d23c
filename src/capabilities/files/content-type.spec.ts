import { PassThrough } from 'node:stream';
import { crc32 } from 'node:zlib';
import { acceptedType, contentTypeOf, isAnnouncedAsAccepted } from './content-type.js';

/** Joins bytes in hexadecimal and, after `text:`, text in Latin-1. */
const bytes = (...parts: string[]) =>
  Buffer.concat(
    parts.map((part) =>
      part.startsWith('text:') ? Buffer.from(part.slice(5), 'latin1') : Buffer.from(part, 'hex'),
    ),
  );
const ZEROS = '00'.repeat(100);

const PDF = bytes('text:%PDF-1.7\n');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const JPEG = bytes('ffd8ffe000104a46494600010100000100010000ffdb');
const EXE = bytes('text:MZ', ZEROS);
const HTML = bytes('text:<!doctype html><script>alert(1)</script>');
const SVG = bytes('text:<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>');
/** Microsoft's compound file. */
const CFB = bytes('d0cf11e0a1b11ae1', ZEROS);
const CSV = bytes('text:a,b\n');
const GZIP = bytes('1f8b0800000000000003');
const RAR = bytes('526172211a0700');
const WAV = bytes('text:RIFF\x24\x00\x00\x00WAVEfmt ');
const MP3 = bytes('text:ID3\x03\x00\x00\x00\x00\x00\x00', 'fffb9064');
const ICO = bytes('00000100010010100000');
const AVI = bytes('text:RIFF\x24\x00\x00\x00AVI LIST');
const RTF = bytes('text:{\\rtf1\\ansi}');
/** The header of EBML, as browsers write it, with this document type. */
const ebml = (type: string) => {
  const [whole, own] = [23 + type.length, type.length].map((size) => (0x80 + size).toString(16));
  return bytes(
    '1a45dfa3',
    whole!,
    '4286810142f7810142f2810442f381084282',
    own!,
    `text:${type}`,
    '42878104',
    ZEROS,
  );
};
const WEBM = ebml('webm');
const MATROSKA = ebml('matroska');
/** The first box of an ISO base media file: its major brand, and compatible brands. */
const iso = (brand: string, ...compatible: string[]) => {
  const brands = [brand, '\0\0\0\0', ...compatible].join('');
  return bytes(`text:\0\0\0${String.fromCharCode(8 + brands.length)}ftyp${brands}`, '0000000866726565');
};
/** Chrome's recorder, telephones, and QuickTime. */
const MP4 = iso('iso5', 'iso5', 'iso6', 'mp41');
const M4A = iso('M4A ', 'M4A ', 'isom');
const M4V = iso('M4V ', 'M4V ', 'isom');
const THREE_GP = iso('3gp4', 'isom', '3gp4');
const MOV = iso('qt  ', 'qt  ');
const HEIC = iso('heic', 'mif1', 'heic');
const HEIF = iso('mif1', 'mif1', 'heic');
const HEIC_SEQUENCE = iso('hevc', 'msf1', 'hevc', 'heic');
const AVIF = iso('avif', 'avif', 'mif1');
/** The first page of an Ogg file, with the first packet of its first stream. */
const ogg = (packet: string) =>
  bytes(
    '4f6767530002000000000000000001000000000000000000000001',
    `text:${String.fromCharCode(packet.length)}${packet}`,
    ZEROS,
  );
const OPUS = ogg('OpusHead\x01\x01');
const VORBIS = ogg('\x01vorbis');
const THEORA = ogg('\x80theora');
const SKELETON = ogg('fishead\0');
const FLV = bytes('464c5601050000000900000000');
/** An ASF header whose first stream is a sound. */
const WMA = bytes(
  '3026b2758e66cf11a6d900aa0062ce6c' + '6400000000000000' + '01000000' + '0102',
  '9107dcb7b7a9cf118ee600c00c205365' + '4e00000000000000',
  '409e69f84d5bcf11a8fd00805f5c442b',
  ZEROS,
);

const ANY = 'application/octet-stream';
const DOC = 'application/msword';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const XLS = 'application/vnd.ms-excel';
const ODT = 'application/vnd.oasis.opendocument.text';
const EPUB = 'application/epub+zip';
const JAR = 'application/java-archive';
const ZIPPED = 'application/x-zip-compressed';

/** A ZIP archive with one entry, which is not compressed. */
function zipOf(name: string, content: string): Buffer {
  const number = (value: number, size: number) => {
    const buffer = Buffer.alloc(size);
    buffer.writeUIntLE(value, 0, size);
    return buffer.toString('hex');
  };
  const size = number(content.length, 4);
  const sizes = [number(crc32(content), 4), size, size, number(name.length, 2)].join('');
  const local = bytes('504b03040a000000000000002100', sizes, '0000', `text:${name}${content}`);
  const directory = bytes('504b01020a000a000000000000002100', sizes, '00'.repeat(16), `text:${name}`);
  const end = [
    '504b0506',
    '00000000',
    '0100',
    '0100',
    number(directory.length, 4),
    number(local.length, 4),
    '0000',
  ];
  return Buffer.concat([local, directory, bytes(...end)]);
}
const ZIP = zipOf('a', '');

const found = (content: Buffer) => contentTypeOf(new PassThrough().end(content));

type Accepted = [accept: string | null, name: string, announced: string, content: Buffer, stored: string];

/** Stores the file as if uploaded and committed. Returns its media type, or undefined if the field rejects the file. */
async function stored(accept: string | null, name: string, media_type: string, content: Buffer) {
  const file = { name, media_type };
  return isAnnouncedAsAccepted(accept, file) ? acceptedType(accept, file, await found(content)) : undefined;
}

describe('U5: a field accepts, and stores with a type', () => {
  const ORDINARY: Accepted[] = [
    [null, 'setup.exe', 'application/pdf', EXE, 'application/x-msdownload'],
    ['application/pdf', 'cv.pdf', 'application/pdf', PDF, 'application/pdf'],
    ['application/pdf', 'cv', 'application/pdf', PDF, 'application/pdf'],
    ['image/*', 'me.png', 'image/png', PNG, 'image/png'],
    ['.png', 'ME.PNG', 'image/png', PNG, 'image/png'],
    ['.jpeg', 'me.jpeg', 'image/jpeg', JPEG, 'image/jpeg'],
    ['text/csv', 'data.txt', 'text/csv', CSV, 'text/csv'],
    ['.csv', 'list.csv', ANY, CSV, 'text/csv'],
    ['text/csv', 'list.csv', 'text/csv', Buffer.from('\ufeffa,b\n', 'utf16le'), 'text/csv'],
    ['image/svg+xml', 'a.svg', 'image/svg+xml', SVG, 'image/svg+xml'],
    ['application/xml', 'a.xml', 'text/xml', bytes('text:<a/>'), 'text/xml'],
    ['.doc', 'cv.doc', DOC, CFB, DOC],
    ['.msg', 'a.msg', ANY, CFB, 'application/vnd.ms-outlook'],
    ['.qqq', 'a.qqq', ANY, CSV, ANY],
  ];

  // Windows, browsers and libraries send these types for unknown files, or for the program that opens a file.
  const IMPRECISE: Accepted[] = [
    ['application/zip', 'a.zip', ZIPPED, ZIP, 'application/zip'],
    ['application/zip', 'backup', ZIPPED, ZIP, 'application/zip'],
    [ZIPPED, 'a.zip', 'application/zip', ZIP, 'application/zip'],
    ['application/zip', 'backup', ANY, ZIP, 'application/zip'],
    ['application/gzip', 'a.gz', 'application/x-gzip', GZIP, 'application/gzip'],
    ['application/vnd.rar', 'a.rar', 'application/x-compressed', RAR, 'application/x-rar-compressed'],
    ['text/csv', 'list.csv', XLS, CSV, 'text/csv'],
    ['text/csv, .xlsx', 'LIST.CSV', XLS, CSV, 'text/csv'],
    ['text/*', 'list.csv', XLS, CSV, 'text/csv'],
    [null, 'list.csv', XLS, CSV, 'text/csv'],
    [null, 'old.xls', XLS, CFB, XLS],
    [null, 'data.json', 'application/ld+json', CSV, 'application/ld+json'],
    ['text/csv', 'list', 'text/x-csv', CSV, 'text/x-csv'],
    ['text/csv', 'list.csv', 'text/plain', CSV, 'text/csv'],
    ['application/json', 'a.json', 'text/plain', bytes('text:{}'), 'application/json'],
    ['application/xml', 'a.xml', 'text/xml', SVG, 'application/xml'],
    ['application/rtf', 'letter.rtf', DOC, RTF, 'application/rtf'],
    [DOC, 'cv.doc', 'application/wps-office.doc', CFB, DOC],
    ['application/pdf', 'cv', 'application/force-download', PDF, 'application/pdf'],
    ['image/*', 'me.heic', ANY, PNG, 'image/png'],
    ['image/jpeg', 'me.jpg', 'image/pjpeg', JPEG, 'image/jpeg'],
    ['image/vnd.microsoft.icon', 'a.ico', 'image/x-icon', ICO, 'image/x-icon'],
    ['audio/mpeg', 'a.mp3', 'audio/mp3', MP3, 'audio/mpeg'],
    ['audio/x-wav', 'a.wav', 'audio/vnd.wave', WAV, 'audio/wav'],
    ['video/x-msvideo', 'a.avi', 'video/avi', AVI, 'video/vnd.avi'],
  ];

  // Sounds and films, pictures of telephones, and Office documents share containers. Browsers report the type of the container.
  const SHARED: Accepted[] = [
    ['audio/*', 'voice.webm', 'audio/webm', WEBM, 'audio/webm'],
    ['audio/*', 'voice.webm', 'video/webm', WEBM, 'audio/webm'],
    ['audio/*', 'voice.webm', ANY, WEBM, 'audio/webm'],
    ['.weba', 'voice.weba', ANY, WEBM, 'audio/webm'],
    [null, 'voice.webm', 'audio/webm', WEBM, 'audio/webm'],
    [null, 'voice.webm', 'text/plain', WEBM, 'video/webm'],
    ['video/webm', 'film.webm', 'audio/webm', WEBM, 'video/webm'],
    ['audio/*', 'voice.mp4', 'audio/mp4', MP4, 'audio/mp4'],
    ['.m4a', 'voice.m4a', 'audio/x-m4a', MP4, 'audio/x-m4a'],
    ['video/*', 'film.mp4', 'video/mp4', MP4, 'video/mp4'],
    ['audio/mp4', 'memo.m4a', 'audio/x-m4a', M4A, 'audio/x-m4a'],
    ['video/mp4', 'film.m4v', 'video/x-m4v', M4V, 'video/mp4'],
    ['audio/*', 'voice.3gp', 'video/3gpp', THREE_GP, 'audio/3gpp'],
    ['video/*', 'film.3gp', 'video/3gpp', THREE_GP, 'video/3gpp'],
    ['audio/*', 'voice.mka', 'audio/x-matroska', MATROSKA, 'audio/x-matroska'],
    ['.mka', 'voice.mka', ANY, MATROSKA, 'audio/x-matroska'],
    ['video/*', 'film.mkv', 'video/x-matroska', MATROSKA, 'video/x-matroska'],
    ['video/*', 'film.mov', 'video/quicktime', MOV, 'video/quicktime'],
    ['video/*', 'film.flv', 'video/x-flv', FLV, 'video/x-flv'],
    ['.opus', 'voice.opus', ANY, OPUS, 'audio/ogg'],
    ['audio/ogg', 'voice.oga', 'audio/ogg', VORBIS, 'audio/ogg'],
    ['video/ogg', 'film.ogv', 'video/ogg', THEORA, 'video/ogg'],
    ['audio/*', 'voice.oga', 'audio/ogg', SKELETON, 'audio/ogg'],
    ['video/*', 'film.ogv', 'video/ogg', SKELETON, 'video/ogg'],
    ['audio/*', 'voice.wma', 'audio/x-ms-wma', WMA, 'audio/x-ms-wma'],
    ['image/heif', 'me.heic', 'image/heic', HEIC, 'image/heif'],
    ['image/heic', 'me.heic', 'image/heic', HEIF, 'image/heic'],
    ['image/heif', 'me.heics', ANY, HEIC_SEQUENCE, 'image/heif'],
    ['image/avif', 'me.avif', 'image/avif', AVIF, 'image/avif'],
    ['image/avif', 'me.avif', 'image/avif', HEIF, 'image/avif'],
    // Word and Excel write a compound file if the document has a password.
    ['.docx', 'cv.docx', ANY, CFB, DOCX],
    [DOCX, 'cv.docx', DOCX, CFB, DOCX],
    ['.odt', 'a.odt', ODT, zipOf('mimetype', ODT), ODT],
    [EPUB, 'a.epub', EPUB, zipOf('mimetype', EPUB), EPUB],
    ['.jar', 'a.jar', JAR, zipOf('META-INF/MANIFEST.MF', ''), JAR],
  ];

  it.each([...ORDINARY, ...IMPRECISE, ...SHARED])(
    'accept="%s": %s uploaded as %s',
    async (accept, name, announced, content, type) => {
      expect(await stored(accept, name, announced, content)).toBe(type);
    },
  );
});

describe('U5: a field rejects', () => {
  it.each([
    ['image/*', 'page.html', 'text/html'],
    ['image/*', 'me.png', 'text/html'],
    ['image/png', 'me.mp4', 'video/mp4'],
    ['application/pdf', 'a.zip', ZIPPED],
    ['application/pdf, .pdf', 'a.exe', 'image/png'],
    ['text/csv', 'old.xls', XLS],
    ['text/csv', 'list', ANY],
    ['.csv', 'list.txt', ANY],
    ['.png', 'me.jpg', 'image/png'],
  ])('an upload: accept="%s": %s uploaded as %s', (accept, name, media_type) => {
    expect(isAnnouncedAsAccepted(accept, { name, media_type })).toBe(false);
  });

  it.each<[content: string, accept: string, name: string, announced: string, Buffer]>([
    ['a sound', 'video/*', 'film.m4v', 'video/mp4', M4A],
    ['a film', 'audio/*', 'voice.m4a', 'audio/mp4', M4V],
    ['a film in Ogg', 'audio/*', 'voice.ogg', 'audio/ogg', THEORA],
    ['a film in MP4', 'video/webm', 'film.webm', 'video/webm', MP4],
    ['QuickTime', 'video/mp4', 'film.mp4', 'video/mp4', MOV],
    ['AVIF', 'image/heic', 'me.heic', 'image/heic', AVIF],
    ['HTML', 'audio/*', 'voice.webm', 'audio/webm', HTML],
    ['HTML', '.mka', 'voice.mka', 'audio/x-matroska', HTML],
    ['HTML', 'application/pdf, .pdf', 'cv.pdf', 'application/pdf', HTML],
    ['HTML', '.jpeg', 'me.jpeg', 'image/jpeg', HTML],
    ['a compound file', '.epub', 'a.epub', EPUB, CFB],
    ['a compound file', '.odt', 'a.odt', ANY, CFB],
    ['a compound file', 'application/zip', 'a.zip', ZIPPED, CFB],
    ['a program', 'image/*', 'me.png', 'image/png', EXE],
    ['a program', 'image/*', 'setup.exe', ANY, EXE],
    ['a program', 'text/csv', 'list.csv', XLS, EXE],
    ['an archive', 'text/csv, .csv', 'list.csv', 'text/csv', ZIP],
    ['an archive', '.json', 'a.json', 'application/json', ZIP],
    ['an archive', '.docx', 'cv.docx', ANY, ZIP],
    ['an archive', '.jpeg', 'me.jpeg', 'image/jpeg', ZIP],
    ['a vector image', '.jpeg', 'me.jpeg', 'image/jpeg', SVG],
    ['zeros', 'application/zip, .zip', 'a.zip', ANY, Buffer.alloc(9)],
    ['text', 'application/zip', 'a', 'application/x-zip', CSV],
  ])('%s: accept="%s": %s uploaded as %s', async (_, accept, name, media_type, content) => {
    expect(acceptedType(accept, { name, media_type }, await found(content))).toBeUndefined();
  });
});

it.each([
  ['application/pdf', PDF, 'application/pdf'],
  ['text/plain', PDF, 'application/pdf'],
  ['application/pdf', HTML, ANY],
  ['text/html', HTML, 'text/html'],
  ['image/svg+xml', SVG, 'image/svg+xml'],
  ['image/png', SVG, 'application/xml'],
])('U2: content uploaded as %s has a type that it proves or allows', async (media_type, content, type) => {
  expect(acceptedType(null, { name: 'file', media_type }, await found(content))).toBe(type);
});
