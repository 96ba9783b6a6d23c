/** The value of a metric without labels, or its values by the values of its labels. Undefined: the metric has no series. */
export type Reading = number | { readonly [label: string]: Reading } | undefined;

/** A metric whose value is read when somebody asks for it. */
export interface Measurement {
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: () => Reading | Promise<Reading>;
}

type MeasurementArguments = readonly [
  name: string,
  help: string,
  labels: readonly string[],
  read: Measurement['read'],
];

/** The measurements of a process. Each part of the program adds its own. Without a listener, no measurement is read. */
export class Measurements {
  private readonly all: Measurement[] = [];
  private readonly listeners: ((measurement: Measurement) => void)[] = [];

  gauge(...measured: MeasurementArguments): void {
    this.add('gauge', measured);
  }

  counter(...measured: MeasurementArguments): void {
    this.add('counter', measured);
  }

  /** Calls `listener` for each measurement, and for those that are added later. */
  listen(listener: (measurement: Measurement) => void): void {
    this.all.forEach(listener);
    this.listeners.push(listener);
  }

  private add(kind: Measurement['kind'], [name, help, labels, read]: MeasurementArguments): void {
    const measurement = { name, kind, help, labels, read };
    this.all.push(measurement);
    for (const listener of this.listeners) listener(measurement);
  }
}
