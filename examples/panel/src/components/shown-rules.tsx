import { ruleSentences } from './rule-sentences.js';
import { showsInWords } from './sentences.tsx';

/** Shows the rules of a field as sentences. */
export default showsInWords(ruleSentences);
