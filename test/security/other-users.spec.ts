import { proveSeparation } from '../support/other-users.js';

proveSeparation('two users', 'a respondent, and a user as the stranger');
