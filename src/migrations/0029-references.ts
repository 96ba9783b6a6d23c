import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FORMULAS } from './references/formulas.js';
import { REFERENCES } from './references/references.js';

/**
 * Checks conditions and rules that compare two fields, and formulas, at the end of each transaction. The migrations after it let changes
 * of other tables ask for the check, one table each.
 */
export class CheckedReferences1798000000029 implements MigrationInterface {
  name = 'CheckedReferences1798000000029';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [FORMULAS, REFERENCES]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function formtrail_check_marked cascade;
      drop function formtrail_check_fields, formtrail_check_conditions, formtrail_check_rules, formtrail_check_field_type,
        formtrail_check_later, formtrail_with_references, formtrail_has_references, formtrail_check_references, formtrail_check_formulas,
        formtrail_check_formula, formtrail_formula_problem, formtrail_operand_codes, formtrail_formula_parts,
        formtrail_rename_in_formulas, formtrail_renamed`);
  }
}

/** The triggers `references_…` fire after the triggers `…_touch_…`, in the order of names, and therefore after the form is locked. */
abstract class Triggers implements MigrationInterface {
  abstract readonly name: string;
  protected abstract readonly table: string;
  /** The rest of each statement, by the name of the trigger. */
  protected abstract readonly triggers: Readonly<Record<string, string>>;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, sql] of Object.entries(this.triggers))
      await runner.query(`create trigger ${name} ${sql}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(this.triggers))
      await runner.query(`drop trigger ${name} on ${this.table}`);
  }
}

export class CheckedFields1798000000030 extends Triggers {
  name = 'CheckedFields1798000000030';
  protected readonly table = 'fields';
  protected readonly triggers = {
    formula_check: `before insert or update of computed on fields
      for each row when (new.computed is not null) execute function formtrail_check_formula()`,
    references_insert: `after insert on fields referencing new table as after
      for each statement execute function formtrail_check_fields()`,
    references_update: `after update on fields referencing old table as before new table as after
      for each statement execute function formtrail_check_fields()`,
    references_delete: `after delete on fields referencing old table as before
      for each statement execute function formtrail_check_fields()`,
  };
}

export class CheckedConditions1798000000031 extends Triggers {
  name = 'CheckedConditions1798000000031';
  protected readonly table = 'conditions';
  protected readonly triggers = {
    references_insert: `after insert on conditions referencing new table as after
      for each statement execute function formtrail_check_conditions()`,
    references_update: `after update on conditions referencing new table as after
      for each statement execute function formtrail_check_conditions()`,
  };
}

export class CheckedRules1798000000032 extends Triggers {
  name = 'CheckedRules1798000000032';
  protected readonly table = 'field_rules';
  protected readonly triggers = {
    references_insert: `after insert on field_rules referencing new table as after
      for each statement execute function formtrail_check_rules()`,
    references_update: `after update on field_rules referencing new table as after
      for each statement execute function formtrail_check_rules()`,
  };
}

export class CheckedFieldTypes1798000000033 extends Triggers {
  name = 'CheckedFieldTypes1798000000033';
  protected readonly table = 'field_types';
  protected readonly triggers = {
    references_update: `after update of component on field_types
      for each row when (new.component <> old.component) execute function formtrail_check_field_type()`,
  };
}
