/** The characters that `String.prototype.trim` removes: white space and line terminators of ECMAScript. */
const WHITE_SPACE = String.raw`E'\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'`;

/** The most look-ups of options for one list. A list that could need more is read part by part. */
const MOST_LOOKUPS = 20_000;

/**
 * Functions that read the options that a stored text chooses, each once, like `forms/option-list.ts` reads it. A text that cannot be read as a list,
 * or that can be read in several ways, chooses each part that is an option.
 */
export const CHOICES = `
  -- PL/pgSQL keeps the plan between calls.
  create function formtrail_option(field integer, part text) returns integer language plpgsql stable as $$
  begin
    return (select id from options where field_id = field and value in (part, btrim(part, ${WHITE_SPACE}))
             order by value <> part limit 1);
  end $$;

  -- The most parts that an option of a field has, where commas divide it. Read it once for all values of the field.
  create function formtrail_most_parts(field integer) returns integer language plpgsql stable as $$
  begin
    return (select max(cardinality(string_to_array(value, ','))) from options where field_id = field);
  end $$;

  create function formtrail_choices(field integer, component text, longest integer, written text) returns setof integer language plpgsql stable as $$
  declare
    parts text[];
    readings integer[];
    begins integer[];
    finish integer;
    found integer[];
  begin
    if component in ('select-input', 'radio-input') then
      return query select one from (select formtrail_option(field, written)) as chosen (one) where one is not null;
    end if;
    if component <> 'checkbox-input' then
      return;
    end if;
    parts := string_to_array(written, ',');
    if longest > 1 and cardinality(parts) * longest <= ${MOST_LOOKUPS} then
      -- readings[n] is the number of ways to read the first n - 1 parts, at most 2, and begins[n] says where their last option begins.
      readings := array[1];
      for until in 1 .. cardinality(parts) loop
        readings[until + 1] := 0;
        for start in greatest(1, until - longest + 1) .. until loop
          if readings[start] > 0 and formtrail_option(field, array_to_string(parts[start:until], ',')) is not null then
            readings[until + 1] := least(2, readings[until + 1] + readings[start]);
            begins[until + 1] := start;
          end if;
        end loop;
      end loop;
      if readings[cardinality(parts) + 1] = 1 then
        finish := cardinality(parts);
        while finish > 0 loop
          found := found || formtrail_option(field, array_to_string(parts[begins[finish + 1]:finish], ','));
          finish := begins[finish + 1] - 1;
        end loop;
        return query select distinct unnest(found);
        return;
      end if;
    end if;
    return query
      select distinct coalesce(exact.id, trimmed.id) from (select distinct unnest(parts)) as written (part)
        left join options exact on exact.field_id = field and exact.value = part
        left join options trimmed on trimmed.field_id = field and trimmed.value = btrim(part, ${WHITE_SPACE})
       where coalesce(exact.id, trimmed.id) is not null;
  end $$`;
