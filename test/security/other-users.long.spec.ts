import { proveSeparation } from './other-users.js';

proveSeparation(
  'two respondents of a form',
  'two respondents of different forms',
  'a user, and a respondent as the stranger',
);
