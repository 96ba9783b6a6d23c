import { conditionSentences } from './condition-sentences.js';
import { editsInWords } from './sentences.tsx';

/** Edits conditions as rows, and says below them what they do. */
export default editsInWords(conditionSentences);
