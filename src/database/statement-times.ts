interface Time {
  count: number;
  milliseconds: number;
}

/** The number of executions of each statement, and their total time, since the process started. */
export class StatementTimes {
  /** By the statement's name. All names are in the sources, so the map is bounded. */
  readonly byName = new Map<string, Time>();

  add(name: string, milliseconds: number): void {
    const time = this.byName.get(name);
    if (time === undefined) {
      this.byName.set(name, { count: 1, milliseconds });
      return;
    }
    time.count += 1;
    time.milliseconds += milliseconds;
  }
}
