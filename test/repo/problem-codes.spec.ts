import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { allFieldErrors, allProblems } from '../../src/server/catalogue.js';

const FIELD_ERRORS = allFieldErrors();
const PROBLEMS = allProblems();

const words = (text: string) => text.trim().split(/\s+/);

// Programs depend on these codes. Add new codes, but never remove or rename a code or change its meaning (E10, E11).
const PROBLEM_CODES = words(`
  already_answered already_completed already_on_first_step already_on_last_step already_stored body_compressed
  body_not_json body_too_deep body_too_large body_too_many_values challenge_not_found database_unavailable
  file_not_found file_too_large file_unavailable form_closed form_not_found headers_too_large held
  idempotent_request_running identity_provider_unavailable invalid_data malformed_json malformed_request
  malformed_url not_a_respondent overloaded partial_upload proof_of_work_unavailable quota_reached range_not_satisfiable
  record_not_found request_timeout route_not_found server_error storage_unavailable submission_changed
  submission_not_found too_many_requests too_many_resume_codes unauthenticated unknown_expectation
  version_not_found
`);
const FIELD_ERROR_CODES = words(`
  above_maximum already_answered below_minimum closed computed contains_lone_surrogate contains_null_character
  different_fields display_only equal_to exclusive_choice file_infected file_not_stored file_unchecked
  form_not_public hash_mismatch inactive_form invalid_code invalid_proof key_used malformed_cursor
  malformed_key malformed_locale malformed_name not_a_boolean not_a_date not_a_file_field not_a_number
  not_a_string not_allowed not_an_array not_an_email not_an_integer not_an_object not_an_option not_equal_to
  not_explained_here not_open_yet not_uploaded number_out_of_range number_too_long option_full other_form
  pattern_mismatch quota_reached required size_mismatch sum_above_maximum sum_below_minimum too_early
  too_few_records too_large too_late too_long too_long_for_pattern too_many too_many_bytes too_many_computed too_many_drafts
  too_many_files too_many_pending too_many_records too_many_records_in_all too_many_values too_much_stored
  too_much_text too_much_to_explain too_short type_mismatch unknown_entity unknown_field unknown_file
  unknown_form unknown_record unknown_step
`);

const contract = readFileSync('docs/contract.md', 'utf8');
const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.spec|\.examples|problem-codes)\.ts$/.test(name))
  .map((name) => ({ name, text: readFileSync(path.join('src', name), 'utf8') }));

describe('the catalogue of codes (E11)', () => {
  it('keeps every code, in alphabetical order', () => {
    expect(Object.keys(PROBLEMS).toSorted()).toEqual(PROBLEM_CODES);
    expect(Object.keys(FIELD_ERRORS).toSorted()).toEqual(FIELD_ERROR_CODES);
    expect(PROBLEM_CODES).toEqual(PROBLEM_CODES.toSorted());
    expect(FIELD_ERROR_CODES).toEqual(FIELD_ERROR_CODES.toSorted());
  });

  it('matches the contract: each problem has its status, and an anchor for its type', () => {
    const rows = [...contract.matchAll(/^\| (\d{3}) \| <a id="(\w+)"><\/a>`(\w+)` \|/gm)];
    expect(
      Object.fromEntries(rows.map(([, status, anchor, name]) => [name, [Number(status), anchor]])),
    ).toEqual(
      Object.fromEntries(Object.entries(PROBLEMS).map(([name, { status }]) => [name, [status, name]])),
    );
  });

  it('matches the contract: each field error has its params', () => {
    const [, table = ''] = /\| Code \(and params\) \|.*\n\| --- .*\n((?:\|.*\n)+)/.exec(contract) ?? [];
    const rows = [...table.matchAll(/^\| `(\w+)`(.*?) \|/gm)].map(([, name, params = '']) => [
      name,
      [...params.matchAll(/`(\w+)`/g)].map(([, param]) => param),
    ]);
    expect(Object.fromEntries(rows)).toEqual(FIELD_ERRORS);
  });

  it('contains only codes that the source uses', () => {
    const all = [...PROBLEM_CODES.filter((name) => !name.endsWith('_not_found')), ...FIELD_ERROR_CODES];
    expect(
      all.filter(
        (name) => !code.some(({ text }) => text.includes(`'${name}'`) || text.includes(`_PROBLEMS.${name}`)),
      ),
    ).toEqual([]);
  });

  it('has an error for every class-validator decorator of a body or query', () => {
    const withoutError = code
      .filter(({ name, text }) => text.includes("'class-validator'") && !name.startsWith('config/'))
      .flatMap(({ name, text }) => {
        const [, imported = ''] = /import \{([^}]*)\} from 'class-validator'/.exec(text) ?? [];
        const rules = (imported.match(/\b[A-Z]\w+/g) ?? []).filter((rule) => !NO_RULES.includes(rule));
        return rules.flatMap((rule) =>
          [...text.matchAll(new RegExp(`\\b${rule}\\([^@;]*`, 'g'))]
            .filter(([use]) => !use.includes('withError('))
            .map(([use]) => `${name}: ${use}`),
        );
      });
    expect(withoutError).toEqual([]);
  });
});

/** Exports of class-validator that do not reject values themselves. */
const NO_RULES = words(
  'IsOptional ValidateIf ValidateBy ValidationArguments ValidationError ValidationOptions',
);
