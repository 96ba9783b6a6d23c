import { ruleSentences } from './rule-sentences.js';
import { editsInWords } from './sentences.tsx';

/** Edits rules as rows, and says below them what answers have to be like. */
export default editsInWords(ruleSentences);
