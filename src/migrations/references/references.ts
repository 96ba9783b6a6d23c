/**
 * Conditions, rules and formulas that refer to a further field are checked at the end of the transaction, so that a program may change
 * a form in any order. A form is checked once, however many rows a transaction changes: the first statement marks the form and queues
 * a trigger of its row.
 *
 * Every change of a part updates the form's row. Two transactions that change a form therefore wait for each other, and the second one
 * sees what the first one has committed.
 */
const MARKING = `
  -- Forms without these references, which are most, need no check.
  create function formtrail_has_references(form integer) returns boolean language sql stable as $$
    select exists (select from fields where form_id = form and computed is not null)
      or exists (select from conditions where form_id = form and value_field_id is not null)
      or exists (select from field_rules join fields on fields.id = field_id
                  where form_id = form and (other_field_id is not null or kind > 'max_date'))
  $$;

  -- The forms among these that have such references. Asks once in a transaction for a form without them.
  create function formtrail_with_references(touched integer[]) returns integer[] language plpgsql as $$
  declare
    form integer;
    found integer[] := '{}';
    plain text := coalesce(nullif(current_setting('formtrail.plain_forms', true), ''), ',');
  begin
    foreach form in array coalesce(touched, '{}') loop
      if plain like '%,' || form || ',%' then
        continue;
      elsif formtrail_has_references(form) then
        found := found || form;
      else
        plain := plain || form || ',';
        perform set_config('formtrail.plain_forms', plain, true);
      end if;
    end loop;
    return found;
  end $$;

  -- The update changes nothing. It queues the trigger forms_references, which removes the mark and checks the form.
  create function formtrail_check_later(touched integer[]) returns void language plpgsql as $$
  declare
    form integer;
    plain text := coalesce(current_setting('formtrail.plain_forms', true), '');
    marked text := coalesce(nullif(current_setting('formtrail.unchecked_forms', true), ''), ',');
  begin
    foreach form in array coalesce(touched, '{}') loop
      continue when marked like '%,' || form || ',%';
      perform set_config('formtrail.plain_forms', replace(plain, ',' || form || ',', ','), true);
      perform set_config('formtrail.unchecked_forms', marked || form || ',', true);
      update forms set version = version where id = form;
      if not found then
        perform set_config('formtrail.unchecked_forms', marked, true);
      end if;
      plain := current_setting('formtrail.plain_forms');
      marked := current_setting('formtrail.unchecked_forms');
    end loop;
  end $$;

  create function formtrail_check_marked() returns trigger language plpgsql as $$
  declare
    marked text := coalesce(current_setting('formtrail.unchecked_forms', true), '');
  begin
    if marked like '%,' || new.id || ',%' then
      perform set_config('formtrail.unchecked_forms', replace(marked, ',' || new.id || ',', ','), true);
      perform formtrail_check_references(new.id);
      perform formtrail_check_formulas(new.id);
    end if;
    return null;
  end $$;
  -- Only for a marked form. TRUNCATE updates forms too before it empties their table, and would leave a trigger without its row.
  create constraint trigger forms_references after update on forms deferrable initially deferred
    for each row when (new.* is not distinct from old.*
      and current_setting('formtrail.unchecked_forms', true) like '%,' || new.id || ',%')
    execute function formtrail_check_marked()`;

const CHECK = `
  create function formtrail_check_references(form integer) returns void language plpgsql as $$
  declare
    wrong record;
  begin
    select tested.code, value_field_id into wrong
      from conditions join fields tested on tested.id = depends_on_field_id
      left join fields compared on compared.id = value_field_id and compared.form_id = form
     where conditions.form_id = form and value_field_id is not null and compared.id is null limit 1;
    if found then
      raise foreign_key_violation using
        message = format('A condition compares the field "%s" with the field %s, which its form does not have.', wrong.code, wrong.value_field_id),
        hint = 'Before you delete a field, change the conditions whose value_field_id it is.',
        table = 'conditions', column = 'value_field_id', constraint = 'conditions_value_field_id_form_id_fkey';
    end if;

    select * into wrong from (
      select own.code, rules.kind, other_field_id, other.id as other_id, case
          when other_field_id is null then
            case when own.is_repeatable and own_type.component = 'number-input' then null
              else 'adds up the values of records, so the field must be a repeatable number-input' end
          when other.id is null then format('compares it with the field %s, which its form does not have', other_field_id)
          when other.id = own.id then 'compares it with itself'
          when other_type.component in ('heading-display', 'paragraph-display')
            then format('compares it with "%s", which holds no value', other.code)
          when rules.kind::text in ('equal', 'not_equal') and (other_type.component in ('checkbox-input', 'file-input')
              or own_type.component in ('checkbox-input', 'file-input', 'heading-display', 'paragraph-display'))
            then format('compares it with "%s", but checkboxes, files, headings and paragraphs cannot be compared', other.code)
          when other.is_repeatable and (own.is_repeatable and other.entity_id = own.entity_id) is not true
            then format('compares it with "%s", which has several values there', other.code)
        end as problem
        from fields own
        join field_rules rules on rules.field_id = own.id and (rules.other_field_id is not null or rules.kind > 'max_date')
        join field_types own_type on own_type.id = own.field_type_id
        left join fields other on other.id = rules.other_field_id and other.form_id = form
        left join field_types other_type on other_type.id = other.field_type_id
       where own.form_id = form order by own.id, rules.id
    ) as checked where problem is not null limit 1;
    if found and wrong.other_field_id is not null and wrong.other_id is null then
      raise foreign_key_violation using message = format('The rule %s of the field "%s" %s.', wrong.kind, wrong.code, wrong.problem),
        hint = 'Before you delete a field, change the rules whose other_field_id it is.',
        table = 'field_rules', column = 'other_field_id', constraint = 'field_rules_other_field_id_fkey';
    elsif found then
      raise check_violation using message = format('The rule %s of the field "%s" %s.', wrong.kind, wrong.code, wrong.problem),
        hint = 'Compare with a field that is not repeatable, or that belongs to the same entity.',
        table = 'field_rules', column = 'other_field_id', constraint = 'field_rules_other_field_fits_check';
    end if;
  end $$`;

/** The columns of fields on which references depend. */
const REFERRED = 'id, form_id, code, is_repeatable, entity_id, field_type_id, computed';

/**
 * Functions of statement triggers. Insertions and changes of rows without such a reference, and deletions of conditions and rules, break
 * none. The forms are collected first, because Citus does not know the table of a trigger in a statement on the table fields.
 */
const CHANGES = `
  create function formtrail_check_fields() returns trigger language plpgsql as $$
  declare
    computed_in integer[];
    touched integer[];
    form integer;
    names jsonb;
  begin
    if tg_op = 'DELETE' then
      select array_agg(distinct form_id) into touched from before;
    else
      select array_agg(distinct form_id) into computed_in from after where computed is not null;
    end if;
    if tg_op = 'UPDATE' then
      select array_agg(distinct form_id) into touched from (select form_id from before union all select form_id from after) as both_rows;
    end if;
    touched := array(select distinct unnest(computed_in || formtrail_with_references(touched)) as form_id order by form_id);
    if tg_op = 'UPDATE' and cardinality(touched) > 0 then
      touched := array(
        select distinct form_id from (
          (select ${REFERRED} from after except select ${REFERRED} from before)
          union all (select ${REFERRED} from before except select ${REFERRED} from after)) as changed
         where form_id = any (touched) order by form_id);
    end if;
    if tg_op = 'UPDATE' then
      foreach form in array touched loop
        -- Groups, because a join of the two tables takes quadratic time with the plan for a few rows.
        select jsonb_object_agg(old_code, new_code) into names from (
          select max(code) filter (where is_old) as old_code, max(code) filter (where not is_old) as new_code
            from (select id, code, true as is_old from before where form_id = form
                  union all select id, code, false from after where form_id = form) as both_rows group by id
        ) as codes where old_code <> new_code;
        if names is not null then
          perform formtrail_rename_in_formulas(form, names, array(
            select id from (select id, computed from after except select id, computed from before) as written));
        end if;
      end loop;
    end if;
    perform formtrail_check_later(touched);
    return null;
  end $$;

  create function formtrail_check_conditions() returns trigger language plpgsql as $$
  begin
    perform formtrail_check_later(array(select distinct form_id from after where value_field_id is not null order by form_id));
    return null;
  end $$;

  create function formtrail_check_rules() returns trigger language plpgsql as $$
  declare
    owners integer[] := array(select distinct field_id from after where other_field_id is not null or kind > 'max_date');
  begin
    if cardinality(owners) > 0 then
      perform formtrail_check_later(array(select distinct form_id from fields where id = any (owners) order by form_id));
    end if;
    return null;
  end $$;

  create function formtrail_check_field_type() returns trigger language plpgsql as $$
  begin
    perform formtrail_check_later(formtrail_with_references(
      array(select distinct form_id from fields where field_type_id = new.id order by form_id)));
    return null;
  end $$`;

export const REFERENCES = [MARKING, CHECK, CHANGES].join(';');
