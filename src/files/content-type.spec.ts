import { PassThrough } from 'node:stream';
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
