/**
 * A submission keeps the id of its step, so that it stays on this step while steps are added, deleted and reordered (S14). Deleting a
 * step does not write to its submissions: `deleted_steps` has the step on which they are then.
 */
export const POSITIONS = `
  -- The arrays are collected first, because Citus does not know the table of a trigger in a statement.
  create function formtrail_keep_deleted_steps() returns trigger language plpgsql as $$
  declare
    ids integer[];
    forms_of integer[];
    numbers integer[];
  begin
    if tg_op = 'TRUNCATE' then
      insert into deleted_steps (id, form_id) select id, form_id from steps on conflict (id) do nothing;
      update deleted_steps set moved_to = null where moved_to is not null;
      return null;
    end if;
    if tg_op = 'INSERT' then
      select array_agg(id) into ids from after;
      delete from deleted_steps where id = any (ids);
      return null;
    end if;
    select array_agg(id), array_agg(form_id), array_agg(step_number) into ids, forms_of, numbers from before;
    -- Two transactions that delete steps of one form wait for each other, so that each sees what the other has deleted. A deleted
    -- form keeps no steps. An import deletes a step with the number that the step before it already has.
    perform from forms where id = any (forms_of) order by id for no key update;
    insert into deleted_steps (id, form_id, moved_to)
    select gone.id, gone.form_id, coalesce(
        (select steps.id from steps where steps.form_id = gone.form_id and steps.step_number <= gone.step_number
          order by steps.step_number desc limit 1),
        (select steps.id from steps where steps.form_id = gone.form_id order by steps.step_number limit 1))
      from unnest(ids, forms_of, numbers) as gone (id, form_id, step_number)
     where gone.form_id in (select forms.id from forms)
    on conflict (id) do update set form_id = excluded.form_id, moved_to = excluded.moved_to;
    update deleted_steps set moved_to = gone.moved_to
      from deleted_steps as gone
     where gone.id = any (ids) and deleted_steps.form_id = gone.form_id and deleted_steps.moved_to = gone.id;
    return null;
  end $$;
  create trigger steps_kept_insert after insert on steps referencing new table as after
    for each statement execute function formtrail_keep_deleted_steps();
  create trigger steps_kept_delete after delete on steps referencing old table as before
    for each statement execute function formtrail_keep_deleted_steps();
  create trigger steps_kept_truncate before truncate on steps
    for each statement execute function formtrail_keep_deleted_steps();

  -- The same position as in submission.statements.ts, for triggers and other programs.
  create function formtrail_position(submission submissions) returns integer language sql stable as $$
    select greatest(1, case when submission.step_position = submission.current_step
      then count(*) filter (where until.step_number <= (
        select held.step_number from steps as held
         where held.form_id = submission.form_id and held.id = coalesce(
           (select moved_to from deleted_steps where deleted_steps.id = submission.step_id), submission.step_id)))
      else least(submission.current_step, count(*)) end)::integer
    from steps as until where until.form_id = submission.form_id
  $$`;
