import { typesText } from 'formtrail-session/sentences';
import type { Sentences } from '../sentences.js';

/** The texts of file inputs. Not with the others, because only some pages have files. */
export const FILES_ENGLISH = {
  chooseFile: 'Choose a file, or drop it here',
  chooseAnother: 'Choose another file',
  uploadingFile: (name) => `Uploading ${name}`,
  uploaded: (name) => `${name} is uploaded`,
  isChecked: 'Being checked for viruses',
  isInfected: 'Infected',
  isWaiting: 'This upload begins when the others are done',
  isInterrupted: 'Interrupted. The upload restarts automatically.',
  isRefused: 'Not uploaded',
  leftOut: (names) => `Not uploaded: ${names}. There is no room for more files here.`,
  fileTypes: typesText,
  upTo: (size) => `up to ${size}`,
} satisfies Partial<Sentences>;
