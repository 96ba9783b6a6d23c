import type { Field } from 'formtrail-client';
import { mediaTypeOf, mistakeOfFile } from '../src/file-mistakes.js';

const PDF = 'application/pdf';

// Operating systems report other types for some formats, and video/… for sounds. The service decides by the content.
it.each([
  ['application/pdf, .docx', 'CV.PDF', 'Application/PDF', true],
  ['application/pdf, .docx', 'cv.docx', '', true],
  ['application/pdf, .docx', 'cv.png', 'image/png', false],
  [PDF, 'cv.pdf', '', true],
  ['text/csv', 'list.csv', 'application/vnd.ms-excel', true],
  ['.csv', 'list.csv', 'application/vnd.ms-excel', true],
  ['.csv', 'list.txt', 'text/csv', false],
  ['audio/*', 'voice.webm', 'audio/webm;codecs=opus', true],
  ['audio/*', 'voice.webm', 'video/webm', true],
  ['audio/*', 'cat.png', 'image/png', false],
  [null, 'any', 'some/thing', true],
])(
  'a field that accepts %s lets the user choose %s of the type "%s": %s',
  (accept, name, type, isAllowed) => {
    const field = { accept, max_bytes: null } as Field;
    const mistake = mistakeOfFile('cv', field, new File(['x'], name, { type }));
    expect(mistake).toEqual(
      isAllowed
        ? undefined
        : { field: 'cv', code: 'type_mismatch', params: { accept }, detail: expect.any(String) as string },
    );
  },
);

it.each([
  ['image/*', 'text/html', 'an image'],
  ['video/*, audio/*', 'text/html', 'a video or an audio file'],
  [PDF, 'image/png', 'of the type application/pdf'],
  ['image/*,.docx', 'text/html', 'an image or of the type .docx'],
])('a field that accepts %s says of a file of the type %s that it must be %s', (accept, type, expected) => {
  const mistake = mistakeOfFile('cv', { accept, max_bytes: null } as Field, new File(['x'], 'cat', { type }));
  expect(mistake?.detail).toBe(`The file must be ${expected}.`);
});

it.each([
  [3, 3, true],
  [3, 4, false],
  [null, 25 * 2 ** 20, true],
  [null, 25 * 2 ** 20 + 1, false],
])('a field with max_bytes %s lets the user choose a file of %i bytes: %s', (max_bytes, size, isAllowed) => {
  const file = Object.defineProperty(new File([], 'cv.pdf'), 'size', { value: size });
  const code = mistakeOfFile('cv', { accept: null, max_bytes } as Field, file)?.code;
  expect(code).toBe(isAllowed ? undefined : 'too_large');
});

it.each([
  ['Text/Plain;charset=utf-8', 'text/plain'],
  ['', 'application/octet-stream'],
])('the media type "%s" is sent as "%s"', (type, sent) => {
  expect(mediaTypeOf(new Blob([], { type }))).toBe(sent);
});
