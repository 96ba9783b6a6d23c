import { Counter, Gauge, type Registry } from 'prom-client';

export type Readings = readonly (readonly [labels: Record<string, string>, value: number])[];
type Read = () => Readings | Promise<Readings>;

/** Metrics whose values are read for each scrape. A metric exports only the series of its last reading. */
export class ReadMetrics {
  constructor(private readonly registry: Registry) {}

  gauge(name: string, help: string, labelNames: string[], read: Read): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const readings = await read();
        this.reset();
        // Without labels, a reset leaves a series with the value 0.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of readings) this.set(labels, value);
      },
    });
  }

  counter(name: string, help: string, labelNames: string[], read: () => Readings): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  }
}
