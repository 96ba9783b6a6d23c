import { newToken } from '../../auth/issue-token.js';

/** Prefix of the tokens of respondents (P2). */
export const RESPONDENT_TOKEN = 'ftr_';

export const newRespondentToken = (): string => newToken(RESPONDENT_TOKEN);
