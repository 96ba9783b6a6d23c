import type { Contradictions } from '../../config/environment.js';
import { Variable, WholeNumber } from '../../config/variable.decorators.js';

export class MetricsSettings {
  /** The port that serves metrics. Unset: the service measures nothing. */
  @Variable('METRICS_PORT', Number)
  @WholeNumber(0, 65_535)
  readonly metricsPort: number | undefined;

  static contradictions: Contradictions = (environment, isSet) => {
    const { port, metricsPort } = environment.of<MetricsSettings>();
    return isSet('METRICS_PORT') && metricsPort === port && port !== 0
      ? [`METRICS_PORT must differ from PORT, but both are ${port}.`]
      : [];
  };
}
