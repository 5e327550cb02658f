import { sanitizeForTerminal } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { DeviceListener } from '../device-events.ts';
import type { ScenarioResult } from '../scenario/play-scenario.ts';
import { EventPrinter } from './event-output.ts';

/** Prints the progress of scenarios. */
interface ScenarioOutput {
  readonly listener: DeviceListener | undefined;
  begin(name: string): void;
  verdict(result: ScenarioResult): void;
  end(results: readonly ScenarioResult[]): void;
}

/** One JSON object a line: events, and after each scenario its verdict. */
export class JsonOutput implements ScenarioOutput {
  readonly #printer: EventPrinter;
  readonly listener: DeviceListener = (event) => this.#printer.print(event);

  constructor(io: CliIo) {
    this.#printer = new EventPrinter(io, 'all');
  }

  begin(name: string): void {
    this.#printer.line({ event: 'scenario', name });
  }

  verdict({ report, ...result }: ScenarioResult): void {
    const summary = report ? { summary: report.summary } : {};
    this.#printer.line({ event: 'verdict', ...result, ...summary });
  }

  end(results: readonly ScenarioResult[]): void {
    this.#printer.line(totals(results));
    this.#printer.flush();
  }
}

/** A line a scenario, and one for each assertion that did not hold. */
export class TextOutput implements ScenarioOutput {
  readonly #io: CliIo;
  readonly listener = undefined;

  constructor(io: CliIo) {
    this.#io = io;
  }

  begin(): void {
    // The verdict says the name.
  }

  verdict({ name, verdict, failures, reason }: ScenarioResult): void {
    this.#io.out(sanitizeForTerminal(`${verdict}  ${name}${reason === '' ? '' : `: ${reason}`}`));
    for (const { step, what } of failures)
      this.#io.out(sanitizeForTerminal(`      step ${step}: ${what}`));
  }

  end(results: readonly ScenarioResult[]): void {
    const { passed, failed, skipped } = totals(results);
    this.#io.out(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
}

export function totals(results: readonly ScenarioResult[]) {
  const count = (verdict: ScenarioResult['verdict']): number =>
    results.filter((result) => result.verdict === verdict).length;
  const event = 'scenarios';
  return { event, passed: count('PASS'), failed: count('FAIL'), skipped: count('SKIP') };
}
