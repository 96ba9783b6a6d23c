import { proveSeparation } from './other-users.js';

proveSeparation('two users', 'a respondent, and a user as the stranger');
