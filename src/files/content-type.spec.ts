import { PassThrough } from 'node:stream';
import { contentTypeOf, isAccepted, mediaTypeOf } from './content-type.js';

const PDF = Buffer.from('%PDF-1.7\n');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const EXE = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(100)]);
const HTML = Buffer.from('<!doctype html><script>alert(1)</script>');
const SVG = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>');
const CFB = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(100)]);

const found = (content: Buffer) => contentTypeOf(new PassThrough().end(content));

describe('U5: whether a field takes a file', () => {
  it.each<[string, string | null, string, string, Buffer, boolean]>([
    ['anything where it says nothing', null, 'setup.exe', 'application/pdf', EXE, true],
    ['what it is', 'application/pdf', 'cv.pdf', 'application/pdf', PDF, true],
    ['what it is, whatever it is called', 'application/pdf', 'cv', 'text/plain', PDF, true],
    ['no program that is called a PDF', 'application/pdf, .pdf', 'cv.pdf', 'application/pdf', EXE, false],
    ['no text that is called a PDF', 'application/pdf, .pdf', 'cv.pdf', 'application/pdf', HTML, false],
    ['any image', 'image/*', 'me.png', 'image/png', PNG, true],
    ['an image by its extension, in any letter case', '.png', 'ME.PNG', 'image/png', PNG, true],
    ['no image of another extension', '.png', 'me.jpg', 'image/png', PNG, false],
    ['no HTML that is called an image', 'image/*', 'me.png', 'image/png', HTML, false],
    ['a text by what the client says', 'text/csv', 'list.csv', 'text/csv', Buffer.from('a,b\n'), true],
    ['a text by its name', '.csv', 'list.csv', 'application/octet-stream', Buffer.from('a,b\n'), true],
    ['a text in UTF-16', 'text/csv', 'list.csv', 'text/csv', Buffer.from('\ufeffa,b\n', 'utf16le'), true],
    ['a vector image, which is XML', 'image/svg+xml', 'a.svg', 'image/svg+xml', SVG, true],
    ['an old Word document, by its name', '.doc', 'cv.doc', 'application/msword', CFB, true],
    ['no program that is called an old Word document', '.doc', 'cv.doc', 'application/msword', EXE, false],
  ])('%s', async (_, accept, name, media_type, content, taken) => {
    expect(isAccepted(accept, { name, media_type }, await found(content))).toBe(taken);
  });
});

it.each([
  ['application/pdf', PDF, 'application/pdf'],
  ['text/plain', PDF, 'application/pdf'],
  ['application/pdf', HTML, 'application/octet-stream'],
  ['text/html', HTML, 'text/html'],
  ['image/svg+xml', SVG, 'image/svg+xml'],
  ['image/png', SVG, 'application/xml'],
])('U2: what is said to be %s is stored as what it is', async (declared, content, type) => {
  expect(mediaTypeOf(declared, await found(content))).toBe(type);
});
