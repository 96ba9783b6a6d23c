import { conditionSentences } from './condition-sentences.js';
import { showsInWords } from './sentences.tsx';

/** Shows the conditions of a record as sentences. */
export default showsInWords(conditionSentences);
