import type { ResourceOptions } from 'adminjs';
import type { Form } from 'formtrail-entities';
import { plainText } from 'formtrail-session/markup';
import type { EntityManager } from 'typeorm';
import type { ConstraintMessages } from '../adapter/constraint-messages.js';
import { COMPONENTS } from '../components.js';
import type { LimitsJson } from '../components/outline/form-outline-json.js';
import { CHOICES } from './components-of-fields.js';

const ONE_OR_MORE = 'Enter a whole number from 1, or leave this empty.';
const BEFORE_10000 = 'Choose a time before the year 10000, or none.';
/** Only Citus, which has no triggers on distributed tables, has these constraints. */
const ONE_SERVER = 'The database is distributed, and cannot limit forms. Leave this empty.';

export const LIMIT_LABELS = {
  opensAt: 'Opens',
  closesAt: 'Closes',
  closesDrafts: 'Close drafts, too',
  maxSubmissions: 'Most submissions in all',
  maxPerUser: 'Most submissions a person',
};

export const LIMIT_MESSAGES: ConstraintMessages = {
  forms_opens_at_check: ['opensAt', BEFORE_10000],
  forms_closes_at_check: ['closesAt', BEFORE_10000],
  forms_opening_check: ['closesAt', 'Choose a time after the one at “Opens”.'],
  forms_max_submissions_check: ['maxSubmissions', ONE_OR_MORE],
  forms_max_per_user_check: ['maxPerUser', ONE_OR_MORE],
  forms_limits_one_server_check: ['opensAt', ONE_SERVER],
};

export const PLACES_MESSAGES: ConstraintMessages = {
  options_places_check: ['options.places', 'Enter a whole number from 0, or leave this empty.'],
  options_one_server_check: ['options.places', ONE_SERVER],
};

export const LIMIT_PROPERTIES: ResourceOptions['properties'] = {
  opensAt: {
    description: 'Nobody can begin to fill it in before. Empty: open from the start',
    components: { edit: COMPONENTS.Time },
  },
  closesAt: {
    description: 'Nobody can begin to fill it in from then on. Empty: never closes',
    components: { edit: COMPONENTS.Time },
  },
  closesDrafts: {
    description: 'If not ticked, people who have begun before the end can still complete it',
  },
  maxSubmissions: {
    description:
      'How many can be completed in all. Those that are completed already count. Empty: any number',
  },
  maxPerUser: { description: 'How many each person can complete, such as 1. Empty: any number' },
};

/** Reads the counts that triggers keep. The clock of the database decides, as for the service. */
export async function limitsOf(
  manager: EntityManager,
  { id, ...form }: Pick<Form, 'id' | 'timeZone' | keyof typeof LIMIT_LABELS>,
): Promise<LimitsJson> {
  const [state] = await manager.query<Pick<LimitsJson, 'hasOpened' | 'hasClosed' | 'completed'>[]>(
    `select (opens_at <= now()) is not false as "hasOpened", (closes_at <= now()) is true as "hasClosed", completed
       from forms left join form_counts on form_id = forms.id where forms.id = $1`,
    [id],
  );
  const { timeZone, opensAt, closesAt, closesDrafts, maxSubmissions, maxPerUser } = form;
  return {
    ...{ hasOpened: true, hasClosed: false, completed: null, ...state },
    ...{ timeZone, closesDrafts, maxSubmissions, maxPerUser },
    opensAt: opensAt?.toISOString() ?? null,
    closesAt: closesAt?.toISOString() ?? null,
  };
}

interface LimitedOption {
  readonly label: string;
  readonly places: number;
  readonly taken: number;
}

/** The most options whose places the page of a form shows for a field. */
const MOST_OPTIONS = 12;

/** Returns a sentence about the places of options, by the id of their field. */
export async function placesOf(manager: EntityManager, formId: number): Promise<ReadonlyMap<number, string>> {
  const fields = await manager.query<{ id: number; options: LimitedOption[] }[]>(
    `select field_id as id, json_agg(json_build_object('label', options.label, 'places', places, 'taken', taken)
                                     order by options."order", options.id) as options
       from option_counts join options on options.id = option_id join fields on fields.id = field_id
       join field_types on field_types.id = field_type_id
      where option_counts.form_id = $1 and component = any ($2) group by field_id`,
    [formId, CHOICES],
  );
  return new Map(fields.map(({ id, options }) => [id, placesSentence(options)]));
}

function placesSentence(options: readonly LimitedOption[]): string {
  const shown = options
    .slice(0, MOST_OPTIONS)
    .map(
      ({ label, places, taken }) =>
        `${plainText(label)} ${taken} of ${places}${taken >= places ? ' (full)' : ''}`,
    );
  const more = options.length - shown.length;
  return `Places taken: ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
