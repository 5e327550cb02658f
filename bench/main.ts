import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../src/core/errors.ts';
import { keepRun, type Run, readRuns } from './page/kept-runs.ts';
import type { Section } from './page/line.ts';
import { watchMachine } from './page/machine-load.ts';
import { consume } from './page/measures/consume.ts';
import { gate } from './page/measures/gate.ts';
import type { Measure } from './page/measures/measure.ts';
import { postgres } from './page/measures/postgres.ts';
import { sites } from './page/measures/sites.ts';
import { tickets } from './page/measures/tickets.ts';
import { works } from './page/measures/works.ts';
import { renderPage } from './page/render-page.ts';

const MEASURES: readonly Measure[] = [consume, gate, works, tickets, postgres, sites];
const RUNS = '.bench/runs.json';
const HELP = `Usage: npm run bench -- [options]

Measures and prints one page: what, against what, the ratio, its goal, hit or miss, and the last run.

  --only NAME,NAME  these measurements only
  --quick           a short run that shows that everything works; its figures mean nothing
  --large           also 10 million tickets (some minutes and 3 GB of disk in ${tmpdir()})
  --json FILE       the run as JSON
  --help            this text

Measurements:
${MEASURES.map(({ name, about }) => `  ${name.padEnd(17)} ${about}`).join('\n')}

Needs wrk (Debian: apt-get install wrk). The last runs are kept in ${RUNS}.
The exit code is 1 when a measurement failed; a missed goal is no failure.`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (process.platform !== 'linux') {
  console.error('The benchmark needs Linux: it reads processor times from /proc.');
  process.exit(2);
}
const only = values.only?.split(',');
const unknown = only?.filter((name) => !MEASURES.some((one) => one.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(
    `There is no measurement ${unknown.join(', ')}. There are: ${MEASURES.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}

const sections: Section[] = [];
for (const measure of MEASURES.filter(({ name }) => only?.includes(name) ?? true)) {
  const section = await sectionOf(measure);
  if (section) sections.push(section);
}
const run: Run = {
  at: new Date().toISOString(),
  commit: commit(),
  machine: machine(),
  quick: values.quick,
  sections,
};
const earlier = readRuns(RUNS);
console.log(renderPage(run, earlier, process.stdout.columns).join('\n'));
if (sections.length > 0) keepRun(RUNS, run);
if (values.json) writeFileSync(values.json, `${JSON.stringify(run, null, 2)}\n`);
// Servers of a measurement that failed may still run.
process.exit();

/** @returns undefined when it failed, which is said; the others go on */
async function sectionOf({ name, run }: Measure): Promise<Section | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
  const startedAt = performance.now();
  try {
    const takenByOthers = watchMachine();
    const found = await run({ quick: values.quick, large: values.large, folder });
    return { name, ...found, taken: takenByOthers() };
  } catch (error) {
    console.error(`${name} could not be measured: ${messageOf(error)}`);
    process.exitCode = 1;
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    console.error(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    const changed =
      git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes';
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  } catch {
    return 'unknown';
  }
}

function machine(): string {
  const processors = cpus();
  const memory = (totalmem() / 1024 ** 3).toFixed(0);
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${memory} GiB, ${type()} ${release()} ${arch()}, Node ${process.versions.node}`;
}
