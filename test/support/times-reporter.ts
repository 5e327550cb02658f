import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

interface FileTimes {
  readonly file: string;
  /** The time from the start of its import to the end of its last test. */
  readonly wallMs: number;
  /** Counts its worker and the worker's ended children; what runs beside (a shared server, a browser that stays) is not in it. */
  readonly processorMs: number;
}

/** Writes how long each test file took, and how much of that it computed: what else it took, it waited. */
// biome-ignore lint/style/noDefaultExport: the test runner takes the default export of a reporter's file
export default class TimesReporter implements Reporter {
  readonly #path: string;

  constructor({
    outputFile = 'node_modules/.cache/test-times.json',
  }: { outputFile?: string } = {}) {
    this.#path = outputFile;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(timesOf).sort((one, other) => other.wallMs - one.wallMs);
    writeFileSync(this.#path, `[\n${files.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`);
  }
}

function timesOf(module: TestModule): FileTimes {
  const { duration, collectDuration } = module.diagnostic();
  const wallMs = Math.round(duration + collectDuration);
  const { processorMs = 0 } = module.meta();
  return { file: relative('.', module.moduleId), wallMs, processorMs };
}
