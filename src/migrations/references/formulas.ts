/** Most parts of a formula, most levels, and most computed fields of a form (K1). */
const MAX_OPERANDS = 50;
const MAX_DEPTH = 4;
const MAX_COMPUTED = 1_000;

const OPS = `'sum', 'difference', 'product', 'quotient', 'min', 'max', 'average', 'count', 'round',
      'days_between', 'months_between', 'years_between', 'join'`;

/** Functions that read a formula, and the trigger that checks its structure when it is stored. */
const STRUCTURE = `
  -- The formula itself, and all operands in it. An operand of a formula in a formula has the level 3.
  create function formtrail_formula_parts(formula jsonb) returns table (part jsonb, level integer) language sql immutable as $$
    with recursive parts (part, level) as (
      select formula, 1
      union all
      select operand, level + 1 from parts
        cross join lateral jsonb_array_elements(case jsonb_typeof(part -> 'of') when 'array' then part -> 'of' else '[]' end) as operand
       where level <= ${MAX_DEPTH}
    )
    select part, level from parts
  $$;

  create function formtrail_operand_codes(formula jsonb) returns table (code text) language sql immutable as $$
    select distinct part #>> '{}' from formtrail_formula_parts(formula) where jsonb_typeof(part) = 'string'
  $$;

  create function formtrail_formula_problem(formula jsonb) returns text language sql immutable as $$
    select problem from (
      select case
        when jsonb_typeof(part) = 'string' and level > 1 then null
        when jsonb_typeof(part) <> 'object' then format('%s is not the code of a field, a constant or a formula', left(part::text, 100))
        when part ? 'value' and level > 1 then
          case when part - 'value' <> '{}' or jsonb_typeof(part -> 'value') <> 'string'
            then format('%s is not a constant such as {"value": "12.5"}', left(part::text, 100)) end
        when level > ${MAX_DEPTH} then 'formulas are nested more than ${MAX_DEPTH} deep'
        when part - '{op,of,scale,with}'::text[] <> '{}'
          then format('it has the unknown key %s', (select min(key) from jsonb_object_keys(part - '{op,of,scale,with}'::text[]) as key))
        when (part ->> 'op' in (${OPS})) is not true then format('there is no op %s', coalesce(left((part -> 'op')::text, 100), 'in it'))
        when jsonb_typeof(part -> 'of') is distinct from 'array' then format('the "of" of %s is not a list of operands', part ->> 'op')
        when part ->> 'op' in ('difference', 'quotient', 'days_between', 'months_between', 'years_between') and jsonb_array_length(part -> 'of') <> 2
          then format('%s needs exactly 2 operands', part ->> 'op')
        when part ->> 'op' = 'round' and jsonb_array_length(part -> 'of') <> 1 then 'round needs exactly 1 operand'
        when jsonb_array_length(part -> 'of') = 0 then format('%s needs an operand', part ->> 'op')
        when part ? 'scale' and part ->> 'op' not in ('quotient', 'average', 'round') then format('%s has no "scale"', part ->> 'op')
        when part ? 'scale' and (jsonb_typeof(part -> 'scale') = 'number' and part ->> 'scale' ~ '^([0-9]|1[0-9]|20)$') is not true
          then 'a "scale" is an integer from 0 to 20'
        when part ? 'with' and part ->> 'op' <> 'join' then format('%s has no "with"', part ->> 'op')
        when part ? 'with' and (jsonb_typeof(part -> 'with') = 'string' and char_length(part ->> 'with') <= 100) is not true
          then 'a "with" is a text of at most 100 characters'
      end as problem from formtrail_formula_parts(formula)
      union all
      select 'it has more than ${MAX_OPERANDS} operands' from formtrail_formula_parts(formula) having count(*) > ${MAX_OPERANDS} + 1
    ) problems where problem is not null limit 1
  $$;

  create function formtrail_check_formula() returns trigger language plpgsql as $$
  declare
    problem text := formtrail_formula_problem(new.computed);
  begin
    if problem is not null then
      raise check_violation using message = format('The formula of the field "%s" is not valid: %s.', new.code, problem),
        hint = 'A formula has the form {"op": "sum", "of": ["code_of_a_field", {"value": "2"}]}.',
        table = 'fields', column = 'computed', constraint = 'fields_computed_check';
    end if;
    return new;
  end $$`;

/**
 * Fields keep their formulas while they are renamed. A formula that the same statement writes has the new codes already. All codes are
 * replaced at once, so that a statement can exchange two codes.
 */
const RENAMING = `
  create function formtrail_renamed(formula jsonb, names jsonb) returns jsonb language plpgsql immutable as $$
  begin
    return jsonb_set(formula, '{of}', (
      select jsonb_agg(case
          when jsonb_typeof(operand) = 'string' then coalesce(names -> (operand #>> '{}'), operand)
          when operand ? 'of' then formtrail_renamed(operand, names)
          else operand end order by position)
        from jsonb_array_elements(formula -> 'of') with ordinality as operands (operand, position)));
  end $$;

  create function formtrail_rename_in_formulas(form integer, names jsonb, written integer[]) returns void language plpgsql as $$
  declare
    shared text;
  begin
    select twice.code into shared from (
        select code from fields where form_id = form and code in (select value from jsonb_each_text(names)) group by code having count(*) > 1
      ) as twice
     where exists (
       select from fields cross join lateral formtrail_operand_codes(computed) as operand
        where form_id = form and computed is not null and twice.code in (operand.code, names ->> operand.code)) limit 1;
    if found then
      raise unique_violation using message = format('Two fields of the form have the code "%s", and a formula names one of them.', shared),
        hint = 'Exchange the codes in one statement, or rename one of the fields to a third code first.',
        table = 'fields', column = 'code', constraint = 'fields_form_id_code_key';
    end if;
    update fields set computed = formtrail_renamed(computed, names)
     where form_id = form and computed is not null and id <> all (written)
       and exists (select from formtrail_operand_codes(computed) as operand where names ? operand.code);
  end $$`;

const CHECK = `
  -- Searches in depth for a computed field that depends on itself. Takes linear time.
  create function formtrail_check_formulas(form integer) returns void language plpgsql as $$
  declare
    wrong record;
    codes text[] := array(select code from fields where form_id = form and computed is not null order by id);
    formulas jsonb[];
    owners integer[]; -- Positions of computed fields, one for each different operand.
    operands text[]; -- The codes of these operands.
    targets integer[]; -- The positions of the computed fields that each of them depends on, one after the other.
    ends integer[]; -- Where the targets of each of them end.
    next integer[];
    state integer[]; -- 0: not found, 1: on the path, 2: done.
    path integer[];
    depth integer;
    top integer;
    target integer;
  begin
    if cardinality(codes) = 0 then
      return;
    elsif cardinality(codes) > ${MAX_COMPUTED} then
      raise check_violation using message = 'A form has at most ${MAX_COMPUTED} computed fields.',
        hint = 'Divide the form into several forms.', table = 'fields', column = 'computed', constraint = 'fields_computed_count_check';
    end if;
    formulas := array(select computed from fields where form_id = form and computed is not null order by id);
    -- All formulas at once: a call of formtrail_formula_parts for each takes ten times as long.
    with recursive parts (owner, part) as (
      select position::integer, formula from unnest(formulas) with ordinality as formulas_of (formula, position)
      union all
      select owner, operand from parts
        cross join lateral jsonb_array_elements(case jsonb_typeof(part -> 'of') when 'array' then part -> 'of' else '[]' end) as operand
    )
    select array_agg(owner order by owner, code), array_agg(code order by owner, code) into owners, operands
      from (select distinct owner, part #>> '{}' as code from parts where jsonb_typeof(part) = 'string') as different;

    select codes[named.owner] as code, named.code as operand, used.id into wrong
      from unnest(owners, operands) as named (owner, code)
      left join fields used on used.form_id = form and used.code = named.code
      left join field_types on field_types.id = used.field_type_id
     where used.id is null or field_types.component in ('heading-display', 'paragraph-display')
     order by named.owner, named.code limit 1;
    if found then
      raise check_violation using message = case when wrong.id is null
          then format('The formula of the field "%s" has the operand "%s", but the form has no field with this code.', wrong.code, wrong.operand)
          else format('The formula of the field "%s" has the operand "%s", but this field holds no value.', wrong.code, wrong.operand) end,
        hint = format('Change fields.computed of "%s" first.', wrong.code),
        table = 'fields', column = 'computed', constraint = 'fields_computed_operands_check';
    end if;

    with vertices as materialized (
      select code, position::integer as vertex from unnest(codes) with ordinality as computed_fields (code, position)
    ), edges as materialized (
      select named.owner as source, vertices.vertex as target from unnest(owners, operands) as named (owner, code) join vertices using (code)
    )
    select array(select edges.target from edges order by source, edges.target),
           array(select (sum(count(edges.target)) over (order by vertex))::integer
                   from vertices left join edges on source = vertex group by vertex order by vertex)
      into targets, ends;
    if cardinality(targets) = 0 then
      return;
    end if;
    next := array_prepend(0, ends);
    state := array_fill(0, array[cardinality(codes)]);
    path := state;
    for root in 1 .. cardinality(codes) loop
      continue when state[root] > 0;
      depth := 1;
      path[1] := root;
      state[root] := 1;
      while depth > 0 loop
        top := path[depth];
        if next[top] = ends[top] then
          state[top] := 2;
          depth := depth - 1;
          continue;
        end if;
        next[top] := next[top] + 1;
        target := targets[next[top]];
        if state[target] = 1 then
          raise check_violation using message = format('The formulas of the form are a cycle: %s.', (
              select string_agg(codes[vertex], ' -> ' order by position)
                from unnest(path[array_position(path[1:depth], target):depth] || target) with ordinality as cycle (vertex, position))),
            hint = 'Each of these fields is computed from the next one. Take one of the operands out of its formula.',
            table = 'fields', column = 'computed', constraint = 'fields_computed_cycle_check';
        elsif state[target] = 0 then
          depth := depth + 1;
          path[depth] := target;
          state[target] := 1;
        end if;
      end loop;
    end loop;
  end $$`;

export const FORMULAS = [STRUCTURE, RENAMING, CHECK].join(';');
