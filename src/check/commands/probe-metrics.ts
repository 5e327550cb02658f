import { Counter, Gauge, Registry } from 'prom-client';
import type { Probe } from './probe.ts';

/** What a monitor found, for Prometheus. */
export class ProbeMetrics {
  readonly registry = new Registry();
  readonly #probes = new Counter({
    name: 'ticketscan_probes_total',
    help: 'Probes of the service, by result.',
    labelNames: ['result'],
    registers: [this.registry],
  });
  readonly #success = this.#gauge('probe_success', '1 when the last probe was good, else 0.');
  readonly #seconds = this.#gauge('probe_duration_seconds', 'Time that the last probe took.');
  readonly #failed = this.#gauge('probe_failed_cases', 'Cases that failed in the last probe.');
  readonly #warned = this.#gauge('probe_warned_cases', 'Cases with a warning in the last probe.');
  readonly #skipped = this.#gauge(
    'probe_skipped_cases',
    'Cases that the last probe could not ask, for example because its ticket was used.',
  );
  readonly #at = this.#gauge(
    'probe_timestamp_seconds',
    'When the last probe began (seconds since 1970 UTC).',
  );

  constructor() {
    for (const result of ['good', 'deviates', 'unreachable']) this.#probes.inc({ result }, 0);
  }

  note({ at, result, durationMs, failed, warned, skipped }: Probe): void {
    this.#probes.inc({ result });
    this.#success.set(result === 'good' ? 1 : 0);
    this.#seconds.set(durationMs / 1000);
    this.#failed.set(failed.length);
    this.#warned.set(warned.length);
    this.#skipped.set(skipped.length);
    this.#at.set(Date.parse(at) / 1000);
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name: `ticketscan_${name}`, help, registers: [this.registry] });
  }
}
