import { OneOf, Variable, WholeNumber } from '../../config/variable.decorators.js';

export class RetentionSettings {
  /** Whether the server deletes what is due (T1). */
  @Variable('RETENTION')
  @OneOf(['on', 'off'])
  readonly retention: 'on' | 'off' = 'off';

  /** Days for which the database keeps the record of a deletion, for the time after a restore (T3). */
  @Variable('KEEP_ERASURES_DAYS', Number)
  @WholeNumber(1, 36_500)
  readonly keepErasuresDays: number = 400;
}
