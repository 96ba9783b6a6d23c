import type { Sentences } from '../sentences.js';
import type { Words } from '../words.js';

/** The texts about another device and codes. Not with the others, because only respondents see them. */
export const DEVICE_ENGLISH = {
  otherDevice: 'Continue on another device',
  otherDeviceText: (date) =>
    `On the other device, open this form and enter the code. It works once, until ${date}. Keep it secret: it opens your answers.`,
  orLink: 'Or open this link there:',
  haveCode: 'Continue with a code',
  code: 'Resume code',
  codeText: 'Enter only your own code. If somebody else gave you this code, they can read your answers.',
  useCode: 'Continue with the code',
  withoutCode: 'Continue without the code',
  enterCode: 'Enter the code.',
  codeRefused:
    'This code does not work. It was mistyped, was used already, or has expired. Make a new one on the other device.',
  expired: 'Continue your draft',
  expiredText:
    'This browser may no longer open the draft. Your answers on this page are kept. Enter a code from a device on which the draft is open, or begin again: a new draft gets these answers, except files.',
} satisfies Partial<Sentences>;

export const textOf = ({ text }: Words): Sentences => ({ ...DEVICE_ENGLISH, ...text });
