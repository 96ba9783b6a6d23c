export { issuePreviewToken } from '../issue-preview-token.js';
export { Respondent } from './respondent.js';
export { ResumeCode } from './resume-code.js';
export { SpentProof } from './spent-proof.js';
export { Respondents1798000000005 } from '../migrations/0005-respondents.js';
