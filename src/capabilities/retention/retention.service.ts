import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { requireOneServer } from '../../database/distribution.js';
import { repeat } from '../../process/repeat.js';
import { forgetOldErasures } from './erasures.js';
import { type DueCounts, forgetDue } from './forget-due.js';
import { RetentionSettings } from './settings.js';
import { tryTurn } from './turns.js';

/** Milliseconds. */
const FIRST_RUN_AFTER = 5_000;
const RUN_EVERY = 3_600_000;
const RETRY_AFTER = 60_000;

/**
 * With RETENTION=on, deletes what is due soon after the start of a server and then hourly (T1). While one server does it, the others wait.
 * Every server forgets old erasures each hour (T3).
 */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Retention');
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();
  readonly isOn: boolean;
  readonly deleted: DueCounts = { completed: 0, drafts: 0, personal: 0 };
  failures = 0;
  /** Seconds since 1970. Undefined before the first run. */
  finishedAt: number | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: RetentionSettings,
  ) {
    this.isOn = settings.retention === 'on';
  }

  /** @throws StartError if the submissions are distributed */
  async onApplicationBootstrap(): Promise<void> {
    if (this.isOn) await requireOneServer(this.dataSource, 'Periods of forms', 'Set RETENTION=off.');
    const first = this.isOn ? FIRST_RUN_AFTER : RUN_EVERY;
    this.running = repeat(
      first,
      () => this.run(),
      this.stopping.signal,
      (error) => this.report(error),
    );
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Returns the milliseconds until the next run. */
  async run(): Promise<number> {
    if (this.isOn && !(await this.deleteDue())) return RETRY_AFTER;
    await forgetOldErasures(this.dataSource, this.settings.keepErasuresDays);
    return RUN_EVERY;
  }

  /** Returns false if another server or command is deleting. */
  private async deleteDue(): Promise<boolean> {
    const turn = { isOurs: true };
    const done = await forgetDue(this.dataSource, {
      takeTurn: async (manager) => (turn.isOurs = await tryTurn(manager)),
      onDeleted: (counts) => this.count(counts),
      signal: this.stopping.signal,
    });
    for (const { form, counts } of done)
      if (Object.values(counts).some((count) => count > 0))
        this.logger.log({ form: form.slug, ...counts, msg: 'Deleted what was due.' });
    if (turn.isOurs) this.finishedAt = Date.now() / 1000;
    return turn.isOurs;
  }

  private count({ completed, drafts, personal }: DueCounts): void {
    this.deleted.completed += completed;
    this.deleted.drafts += drafts;
    this.deleted.personal += personal;
  }

  private report({ message: reason }: Error): number {
    this.failures += 1;
    this.logger.warn({
      reason,
      msg: 'Deleting what is due was interrupted, and continues in a minute. Check the database if this lasts.',
    });
    return RETRY_AFTER;
  }
}
