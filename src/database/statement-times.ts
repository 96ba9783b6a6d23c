interface Time {
  count: number;
  milliseconds: number;
}

/** How often each statement was executed, and how long that took, since the process started. Two additions a statement. */
export class StatementTimes {
  /** By the statement's name, of which there are as many as in the sources. */
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
