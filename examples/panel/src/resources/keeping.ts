import type { ResourceOptions } from 'adminjs';
import type { ConstraintMessages } from '../adapter/constraint-messages.js';
import type { KeepingJson } from '../components/outline/form-outline-json.js';

export const KEEPING_LABELS: Readonly<Record<keyof KeepingJson, string>> = {
  keepCompletedDays: 'Keep completed submissions',
  keepDraftsDays: 'Keep drafts',
  keepPersonalDays: 'Keep personal answers',
};

const DAYS = 'Enter a whole number from 1 to 36500, or leave this empty.';

export const KEEPING_MESSAGES: ConstraintMessages = {
  forms_keep_completed_days_check: ['keepCompletedDays', DAYS],
  forms_keep_drafts_days_check: ['keepDraftsDays', DAYS],
  forms_keep_personal_days_check: ['keepPersonalDays', DAYS],
  // Only Citus, which has no triggers on distributed tables, has this constraint.
  forms_keeping_one_server_check: [
    'keepCompletedDays',
    'The database is distributed, and deletes nothing by itself. Leave this empty.',
  ],
};

export const KEEPING_PROPERTIES: ResourceOptions['properties'] = {
  keepCompletedDays: {
    description: 'Days from completion until they are deleted with their files, such as 365. Empty: for ever',
  },
  keepDraftsDays: {
    description: 'Days from their last change until they are deleted, such as 30. Empty: for ever',
  },
  keepPersonalDays: {
    description:
      'Days from completion until the answers to questions with personal data are deleted. The other answers stay. Empty: as long as the submission',
  },
};
