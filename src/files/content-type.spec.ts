import { PassThrough } from 'node:stream';
import { crc32 } from 'node:zlib';
import { acceptedType, contentTypeOf, isAnnouncedAsAccepted } from './content-type.js';

const PDF = Buffer.from('%PDF-1.7\n');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb', 'hex');
const EXE = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(100)]);
const HTML = Buffer.from('<!doctype html><script>alert(1)</script>');
const SVG = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>');
const CFB = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(100)]);
const CSV = Buffer.from('a,b\n');
/** A ZIP archive whose only entry is the empty file `a`. */
const ZIP = Buffer.concat([
  Buffer.from('504b03040a00000000000000210000000000000000000000000001000000', 'hex'),
  Buffer.from('61', 'hex'),
  Buffer.from('504b01020a000a00000000000000210000000000000000000000000001000000', 'hex'),
  Buffer.alloc(14),
  Buffer.from('61', 'hex'),
  Buffer.from('504b0506000000000100010' + '02f0000001f0000000000', 'hex'),
]);
const GZIP = Buffer.from('1f8b0800000000000003', 'hex');
const RAR = Buffer.from('526172211a0700', 'hex');
const WAV = Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt ', 'latin1');
const MP3 = Buffer.concat([
  Buffer.from('ID3\x03\x00\x00\x00\x00\x00\x00', 'latin1'),
  Buffer.from('fffb9064', 'hex'),
]);
const ICO = Buffer.from('00000100010010100000', 'hex');
const AVI = Buffer.from('RIFF\x24\x00\x00\x00AVI LIST', 'latin1');
const RTF = Buffer.from('{\\rtf1\\ansi}');
/** The header of EBML, as browsers write it, with this document type. */
const ebml = (type: string) =>
  Buffer.concat([
    Buffer.from('1a45dfa3', 'hex'),
    Buffer.from([0x80 + 23 + type.length]),
    Buffer.from('4286810142f7810142f2810442f38108', 'hex'),
    Buffer.from([0x42, 0x82, 0x80 + type.length]),
    Buffer.from(type),
    Buffer.from('42878104', 'hex'),
    Buffer.alloc(32),
  ]);
const WEBM = ebml('webm');
const MATROSKA = ebml('matroska');
/** The first box of an ISO base media file: its major brand, and compatible brands. */
const iso = (brand: string, ...compatible: string[]) => {
  const brands = [brand, '\0\0\0\0', ...compatible].join('');
  const size = Buffer.from([0, 0, 0, 8 + brands.length]);
  return Buffer.concat([
    size,
    Buffer.from(`ftyp${brands}`, 'latin1'),
    Buffer.from('0000000866726565', 'hex'),
  ]);
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
  Buffer.concat([
    Buffer.from('4f6767530002000000000000000001000000000000000000000001', 'hex'),
    Buffer.from([packet.length]),
    Buffer.from(packet, 'latin1'),
    Buffer.alloc(32),
  ]);
const OPUS = ogg('OpusHead\x01\x01');
const VORBIS = ogg('\x01vorbis');
const THEORA = ogg('\x80theora');
const SKELETON = ogg('fishead\0');
const FLV = Buffer.from('464c5601050000000900000000', 'hex');
/** An ASF header whose first stream is a sound. */
const WMA = Buffer.concat([
  Buffer.from('3026b2758e66cf11a6d900aa0062ce6c' + '6400000000000000' + '01000000' + '0102', 'hex'),
  Buffer.from('9107dcb7b7a9cf118ee600c00c205365' + '4e00000000000000', 'hex'),
  Buffer.from('409e69f84d5bcf11a8fd00805f5c442b', 'hex'),
  Buffer.alloc(64),
]);

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const ODT = 'application/vnd.oasis.opendocument.text';
const EPUB = 'application/epub+zip';
const JAR = 'application/java-archive';

/** A ZIP archive with one entry, which is not compressed. */
function zipOf(name: string, content: string): Buffer {
  const numbers = (...values: readonly (readonly [value: number, bytes: number])[]) =>
    Buffer.concat(
      values.map(([value, bytes]) => {
        const number = Buffer.alloc(bytes);
        number.writeUIntLE(value, 0, bytes);
        return number;
      }),
    );
  const sizes = [
    [crc32(content), 4],
    [content.length, 4],
    [content.length, 4],
    [name.length, 2],
  ] as const;
  const local = Buffer.concat([
    Buffer.from('504b03040a000000000000002100', 'hex'),
    numbers(...sizes, [0, 2]),
    Buffer.from(name + content),
  ]);
  const directory = Buffer.concat([
    Buffer.from('504b01020a000a000000000000002100', 'hex'),
    numbers(...sizes, [0, 6], [0, 6], [0, 4]),
    Buffer.from(name),
  ]);
  const end = numbers([0, 4], [1, 2], [1, 2], [directory.length, 4], [local.length, 4], [0, 2]);
  return Buffer.concat([local, directory, Buffer.from('504b0506', 'hex'), end]);
}

const found = (content: Buffer) => contentTypeOf(new PassThrough().end(content));

/** Returns the media type of an announced and committed file, or undefined if the field rejects the file. */
async function stored(accept: string | null, name: string, media_type: string, content: Buffer) {
  const file = { name, media_type };
  return isAnnouncedAsAccepted(accept, file) ? acceptedType(accept, file, await found(content)) : undefined;
}

const ANY = 'application/octet-stream';

describe('U5: a field accepts a file', () => {
  it.each<[string, string | null, string, string, Buffer, string]>([
    [
      'of any type if the field has no `accept`',
      null,
      'setup.exe',
      'application/pdf',
      EXE,
      'application/x-msdownload',
    ],
    ['of an accepted media type', 'application/pdf', 'cv.pdf', 'application/pdf', PDF, 'application/pdf'],
    ['whose name has no extension', 'application/pdf', 'cv', 'application/pdf', PDF, 'application/pdf'],
    ['that is an image', 'image/*', 'me.png', 'image/png', PNG, 'image/png'],
    ['by its extension, in any letter case', '.png', 'ME.PNG', 'image/png', PNG, 'image/png'],
    ['by another spelling of its extension', '.jpeg', 'me.jpeg', 'image/jpeg', JPEG, 'image/jpeg'],
    [
      'whose announced type is another text type than that of its extension',
      'text/csv',
      'data.txt',
      'text/csv',
      CSV,
      'text/csv',
    ],
    ['that is text, judging by its name', '.csv', 'list.csv', ANY, CSV, 'text/csv'],
    [
      'that is text in UTF-16',
      'text/csv',
      'list.csv',
      'text/csv',
      Buffer.from('\ufeffa,b\n', 'utf16le'),
      'text/csv',
    ],
    ['that is a vector image, which is XML', 'image/svg+xml', 'a.svg', 'image/svg+xml', SVG, 'image/svg+xml'],
    [
      'that is XML without a declaration',
      'application/xml',
      'a.xml',
      'text/xml',
      Buffer.from('<a/>'),
      'text/xml',
    ],
    [
      'that is an old Word document, judging by its name',
      '.doc',
      'cv.doc',
      'application/msword',
      CFB,
      'application/msword',
    ],
    [
      'that is an Outlook message, judging by its name',
      '.msg',
      'a.msg',
      ANY,
      CFB,
      'application/vnd.ms-outlook',
    ],
    ['with an unknown extension', '.qqq', 'a.qqq', ANY, CSV, ANY],
  ])('%s', async (_, accept, name, media_type, content, type) => {
    expect(await stored(accept, name, media_type, content)).toBe(type);
  });

  // Windows, browsers and libraries announce these types for unknown files, or for the program that opens a file.
  it.each<[string, string, string, Buffer, string]>([
    ['application/x-zip-compressed', 'application/zip', 'a.zip', ZIP, 'application/zip'],
    ['application/x-zip-compressed', '.zip', 'a.zip', ZIP, 'application/zip'],
    ['application/x-zip-compressed', 'application/zip', 'backup', ZIP, 'application/zip'],
    ['application/zip', 'application/x-zip-compressed', 'a.zip', ZIP, 'application/zip'],
    ['application/x-zip', 'application/zip', 'a.zip', ZIP, 'application/zip'],
    [ANY, 'application/zip', 'a.zip', ZIP, 'application/zip'],
    [ANY, 'application/zip', 'backup', ZIP, 'application/zip'],
    ['application/x-gzip', 'application/gzip', 'a.gz', GZIP, 'application/gzip'],
    ['application/x-compressed', 'application/vnd.rar', 'a.rar', RAR, 'application/x-rar-compressed'],
    ['application/vnd.ms-excel', 'text/csv', 'list.csv', CSV, 'text/csv'],
    ['application/vnd.ms-excel', 'text/csv, .xlsx', 'LIST.CSV', CSV, 'text/csv'],
    ['application/vnd.ms-excel', 'text/*', 'list.csv', CSV, 'text/csv'],
    ['application/vnd.ms-excel', '.csv', 'list.csv', CSV, 'text/csv'],
    ['application/csv', 'text/csv', 'list.csv', CSV, 'text/csv'],
    ['text/x-csv', 'text/csv', 'list', CSV, 'text/x-csv'],
    ['text/plain', 'text/csv', 'list.csv', CSV, 'text/csv'],
    [ANY, 'text/csv', 'list.csv', CSV, 'text/csv'],
    ['text/plain', 'application/json', 'a.json', Buffer.from('{}'), 'application/json'],
    ['text/xml', 'application/xml', 'a.xml', SVG, 'application/xml'],
    ['application/msword', 'application/rtf', 'letter.rtf', RTF, 'application/rtf'],
    ['text/rtf', 'application/rtf', 'letter.rtf', RTF, 'application/rtf'],
    ['application/wps-office.doc', 'application/msword', 'cv.doc', CFB, 'application/msword'],
    ['application/x-pdf', 'application/pdf', 'cv.pdf', PDF, 'application/pdf'],
    ['application/force-download', 'application/pdf', 'cv', PDF, 'application/pdf'],
    [ANY, 'application/pdf', 'cv', PDF, 'application/pdf'],
    [ANY, 'image/*', 'me.heic', PNG, 'image/png'],
    ['image/x-png', 'image/png', 'me.png', PNG, 'image/png'],
    ['image/pjpeg', 'image/jpeg', 'me.jpg', JPEG, 'image/jpeg'],
    ['image/jpg', 'image/jpeg', 'me.jpg', JPEG, 'image/jpeg'],
    ['image/x-icon', 'image/vnd.microsoft.icon', 'a.ico', ICO, 'image/x-icon'],
    ['audio/mp3', 'audio/mpeg', 'a.mp3', MP3, 'audio/mpeg'],
    ['audio/x-wav', 'audio/wav', 'a.wav', WAV, 'audio/wav'],
    ['audio/vnd.wave', 'audio/x-wav', 'a.wav', WAV, 'audio/wav'],
    ['video/avi', 'video/x-msvideo', 'a.avi', AVI, 'video/vnd.avi'],
  ])(
    'announced as %s if it accepts %s and the file is called %s',
    async (announced, accept, name, content, type) => {
      expect(await stored(accept, name, announced, content)).toBe(type);
    },
  );

  // Sounds and films, pictures of telephones, and Office documents share containers. Browsers report the type of the container.
  it.each<[string, string | null, string, string, Buffer, string]>([
    ["that is Chrome's recording", 'audio/*', 'voice.webm', 'audio/webm', WEBM, 'audio/webm'],
    ['that is a recording, announced as a film', 'audio/*', 'voice.webm', 'video/webm', WEBM, 'audio/webm'],
    ['that is a recording of unknown type', 'audio/*', 'voice.webm', ANY, WEBM, 'audio/webm'],
    ['that is a recording, by its extension', '.weba', 'voice.weba', ANY, WEBM, 'audio/webm'],
    ['that is WebM, as announced', null, 'voice.webm', 'audio/webm', WEBM, 'audio/webm'],
    ['that is WebM, whatever was announced', null, 'voice.webm', 'text/plain', WEBM, 'video/webm'],
    ['that is a film in WebM', 'video/webm', 'film.webm', 'audio/webm', WEBM, 'video/webm'],
    ['that is a sound in MP4', 'audio/*', 'voice.mp4', 'audio/mp4', MP4, 'audio/mp4'],
    ['that is a sound in MP4, by its extension', '.m4a', 'voice.m4a', 'audio/x-m4a', MP4, 'audio/x-m4a'],
    ['that is a film in MP4', 'video/*', 'film.mp4', 'video/mp4', MP4, 'video/mp4'],
    ['that is a voice memo', 'audio/mp4', 'memo.m4a', 'audio/x-m4a', M4A, 'audio/x-m4a'],
    ["that is Apple's MP4", 'video/mp4', 'film.m4v', 'video/x-m4v', M4V, 'video/mp4'],
    ["that is a telephone's recording", 'audio/*', 'voice.3gp', 'video/3gpp', THREE_GP, 'audio/3gpp'],
    ["that is a telephone's film", 'video/*', 'film.3gp', 'video/3gpp', THREE_GP, 'video/3gpp'],
    ['that is a sound in Matroska', 'audio/*', 'voice.mka', 'audio/x-matroska', MATROSKA, 'audio/x-matroska'],
    ['that is a sound in Matroska, by its extension', '.mka', 'voice.mka', ANY, MATROSKA, 'audio/x-matroska'],
    ['that is a film in Matroska', 'video/*', 'film.mkv', 'video/x-matroska', MATROSKA, 'video/x-matroska'],
    ['that is QuickTime', 'video/*', 'film.mov', 'video/quicktime', MOV, 'video/quicktime'],
    ['that is Flash video', 'video/*', 'film.flv', 'video/x-flv', FLV, 'video/x-flv'],
    ['that is Ogg with Opus', 'audio/*', 'voice.ogg', 'audio/ogg', OPUS, 'audio/ogg'],
    ['that is Ogg with Opus, by its extension', '.opus', 'voice.opus', ANY, OPUS, 'audio/ogg'],
    ['that is Ogg with Vorbis', 'audio/ogg', 'voice.oga', 'audio/ogg', VORBIS, 'audio/ogg'],
    ['that is Ogg with Theora', 'video/ogg', 'film.ogv', 'video/ogg', THEORA, 'video/ogg'],
    ['that is a sound in Ogg after a skeleton', 'audio/*', 'voice.oga', 'audio/ogg', SKELETON, 'audio/ogg'],
    ['that is a film in Ogg after a skeleton', 'video/*', 'film.ogv', 'video/ogg', SKELETON, 'video/ogg'],
    ['that is Windows Media audio', 'audio/*', 'voice.wma', 'audio/x-ms-wma', WMA, 'audio/x-ms-wma'],
    ['that is Windows Media audio, by its extension', '.wma', 'voice.wma', ANY, WMA, 'audio/x-ms-wma'],
    ["that is an iPhone's picture", 'image/heif', 'me.heic', 'image/heic', HEIC, 'image/heif'],
    ["that is an iPhone's picture, by its extension", '.heif', 'me.heif', 'image/heif', HEIC, 'image/heif'],
    ["that is an iPhone's picture of unknown type", 'image/heif', 'me.heic', '', HEIC, 'image/heif'],
    ['that is HEIC of the general brand', 'image/heic', 'me.heic', 'image/heic', HEIF, 'image/heic'],
    ['that is a burst of pictures', 'image/heif', 'me.heics', ANY, HEIC_SEQUENCE, 'image/heif'],
    ['that is AVIF', 'image/avif', 'me.avif', 'image/avif', AVIF, 'image/avif'],
    ['that is AVIF of the general brand', 'image/avif', 'me.avif', 'image/avif', HEIF, 'image/avif'],
    ['that is a Word document with a password', '.docx', 'cv.docx', ANY, CFB, DOCX],
    ['that is a Word document with a password, by its type', DOCX, 'cv.docx', DOCX, CFB, DOCX],
    ['that is a workbook with a password', '.xlsx', 'a.xlsx', XLSX, CFB, XLSX],
    ['that is an OpenDocument text', '.odt', 'a.odt', ODT, zipOf('mimetype', ODT), ODT],
    ['that is an EPUB', 'application/epub+zip', 'a.epub', EPUB, zipOf('mimetype', EPUB), EPUB],
    ['that is a Java archive', '.jar', 'a.jar', JAR, zipOf('META-INF/MANIFEST.MF', ''), JAR],
  ])('%s', async (_, accept, name, media_type, content, type) => {
    const found = await stored(accept, name, media_type || ANY, content);
    expect(found).toBe(type);
    expect(found).toMatch(/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/);
  });

  it('and stores the type of its extension if Windows announces the type of the program that opens it', async () => {
    expect(await stored(null, 'list.csv', 'application/vnd.ms-excel', CSV)).toBe('text/csv');
    expect(await stored(null, 'old.xls', 'application/vnd.ms-excel', CFB)).toBe('application/vnd.ms-excel');
    expect(await stored(null, 'data.json', 'application/ld+json', CSV)).toBe('application/ld+json');
  });
});

describe('U5: a field rejects an announcement', () => {
  it.each([
    ['image/*', 'page.html', 'text/html'],
    ['image/*', 'me.png', 'text/html'],
    ['image/png', 'me.mp4', 'video/mp4'],
    ['application/pdf', 'a.zip', 'application/x-zip-compressed'],
    ['application/pdf, .pdf', 'a.exe', 'image/png'],
    ['text/csv', 'old.xls', 'application/vnd.ms-excel'],
    ['text/csv', 'list', ANY],
    ['.csv', 'list.txt', ANY],
    ['.png', 'me.jpg', 'image/png'],
  ])('if it accepts %s and the file is %s of type %s', (accept, name, media_type) => {
    expect(isAnnouncedAsAccepted(accept, { name, media_type })).toBe(false);
  });
});

describe('U5: a field rejects content', () => {
  it.each<[string, string, string, string, Buffer]>([
    ['that is a sound announced as a film', 'video/*', 'film.m4v', 'video/mp4', M4A],
    ['that is a film announced as a sound', 'audio/*', 'voice.m4a', 'audio/mp4', M4V],
    ['that is a film in Ogg announced as a sound', 'audio/*', 'voice.ogg', 'audio/ogg', THEORA],
    ['that is a film in MP4 announced as WebM', 'video/webm', 'film.webm', 'video/webm', MP4],
    ['that is QuickTime announced as MP4', 'video/mp4', 'film.mp4', 'video/mp4', MOV],
    ['that is AVIF announced as HEIC', 'image/heic', 'me.heic', 'image/heic', AVIF],
    ['that is HTML announced as a recording', 'audio/*', 'voice.webm', 'audio/webm', HTML],
    ['that is HTML announced as a sound in Matroska', '.mka', 'voice.mka', 'audio/x-matroska', HTML],
    ['that is HTML announced as Windows Media audio', '.wma', 'voice.wma', 'audio/x-ms-wma', HTML],
    ['that is a compound file announced as an EPUB', '.epub', 'a.epub', 'application/epub+zip', CFB],
    ['that is a compound file announced as an OpenDocument text', '.odt', 'a.odt', ANY, CFB],
    ['that is a program announced as an image', 'image/*', 'me.png', 'image/png', EXE],
    ['that is a program announced as application/octet-stream', 'image/*', 'setup.exe', ANY, EXE],
    ['that is a program announced as a PDF', 'application/pdf, .pdf', 'cv.pdf', 'application/pdf', EXE],
    ['that is a program announced as CSV', 'text/csv', 'list.csv', 'application/vnd.ms-excel', EXE],
    ['that is a program announced as an old Word document', '.doc', 'cv.doc', 'application/msword', EXE],
    ['that is text announced as a PDF', 'application/pdf, .pdf', 'cv.pdf', 'application/pdf', HTML],
    ['that is HTML announced as an image', 'image/*', 'me.png', 'image/png', HTML],
    ['that is HTML announced as a JPEG', '.jpeg', 'me.jpeg', 'image/jpeg', HTML],
    ['that is an archive announced as CSV', 'text/csv, .csv', 'list.csv', 'text/csv', ZIP],
    ['that is an archive announced as a vector image', 'image/svg+xml', 'a.svg', 'image/svg+xml', ZIP],
    ['that is an archive announced as JSON', '.json', 'a.json', 'application/json', ZIP],
    ['that is an archive announced as a Word document', '.docx', 'cv.docx', ANY, ZIP],
    ['that is an archive announced as a JPEG', '.jpeg', 'me.jpeg', 'image/jpeg', ZIP],
    ['that is a vector image announced as a JPEG', '.jpeg', 'me.jpeg', 'image/jpeg', SVG],
    [
      'that is a workbook announced as an archive',
      'application/zip',
      'a.zip',
      'application/x-zip-compressed',
      CFB,
    ],
    ['of unknown type, announced as an archive', 'application/zip, .zip', 'a.zip', ANY, Buffer.alloc(9)],
    [
      'that is text announced as an archive under an alias of its type',
      'application/zip',
      'a',
      'application/x-zip',
      CSV,
    ],
  ])('%s', async (_, accept, name, media_type, content) => {
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
])(
  'U2: content announced as %s is stored with a type that its bytes prove or allow',
  async (media_type, content, type) => {
    expect(acceptedType(null, { name: 'file', media_type }, await found(content))).toBe(type);
  },
);
