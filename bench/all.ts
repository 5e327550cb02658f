import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { machineLines } from './lib/machine.ts';

/**
 * Runs the benchmarks that are not on the page of bench/main.ts, one after another, and writes what they say with the machine's data into bench/RESULTS.md. With
 * --only the others keep what the file says of them.
 * Usage: npm run bench:all -- [--only NAME,NAME] [--quick] [--out FILE]
 */
const BENCHES: readonly Bench[] = [
  { name: 'start', title: 'Starting', args: [] },
  { name: 'peers', title: 'Against stand-ins', args: ['3', '5'], quick: ['1', '2'] },
  {
    name: 'postgres',
    title: 'On PostgreSQL',
    args: ['5', '4', '10000000', '10000'],
    quick: ['1', '1', '10000', '1000'],
  },
  { name: 'cost', title: 'What a scan and a ticket cost', args: [], quick: ['1000', '1'] },
  {
    name: 'admin',
    title: 'Lists of the administration on a long log',
    args: [],
    quick: ['1000', '50000', '2'],
  },
  {
    name: 'dashboard',
    title: 'The dashboard in Chromium on a long log',
    args: [],
    quick: ['1000', '50000'],
  },
  { name: 'testing', title: 'A service for tests', args: [] },
  { name: 'mint-images', title: 'Drawing codes', args: [] },
  { name: 'mint-bulk', title: 'Minting many tickets', args: [] },
  { name: 'simulate-load', title: 'The simulator as a load', args: [] },
  {
    name: 'simulate-memory',
    title: 'Memory of simulated devices',
    args: [],
    node: ['--expose-gc'],
  },
];

interface Bench {
  /** The script is bench/<name>.ts. */
  readonly name: string;
  readonly title: string;
  readonly args: readonly string[];
  readonly quick?: readonly string[];
  readonly node?: readonly string[];
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    out: { type: 'string', default: 'bench/RESULTS.md' },
  },
});
const only = values.only?.split(',');
const unknown = only?.filter((name) => !BENCHES.some((bench) => bench.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.join(', ')}. There are: ${BENCHES.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}
const today = new Date().toISOString().slice(0, 10);
const head = [
  '# Results',
  'Written by `node bench/all.ts`. Only ratios of one run mean anything: the load runs on the same processors as what it loads.',
  machineLines()
    .map((line) => `- ${line}`)
    .join('\n'),
];
const sections = only ? sectionsIn(values.out) : new Map<string, string>();
let failed = 0;
for (const bench of BENCHES.filter(({ name }) => only?.includes(name) ?? true)) {
  console.error(`== ${bench.title} (bench/${bench.name}.ts)`);
  const startedAt = performance.now();
  const { text, code } = await outputOf(bench);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  if (code !== 0) failed += 1;
  const verdict =
    code === 0 ? '' : `\n\nIt ended with ${code}: a bound was missed, or it could not run.`;
  const command = `node ${[...(bench.node ?? []), `bench/${bench.name}.ts`, ...argsOf(bench)].join(' ')}`;
  sections.set(
    bench.title,
    `\`${command}\`, ${seconds} s on ${today}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`${verdict}`,
  );
  writeFileSync(values.out, fileOf());
}
console.error(`${values.out} is written; ${failed} of the benchmarks missed a bound.`);
process.exitCode = failed > 0 ? 1 : 0;

/** What an earlier run wrote, by title. */
function sectionsIn(path: string): Map<string, string> {
  const parts = existsSync(path) ? readFileSync(path, 'utf8').split('\n## ').slice(1) : [];
  return new Map(
    parts.map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return [title, lines.join('\n').trim()];
    }),
  );
}

function fileOf(): string {
  const parts = BENCHES.flatMap(({ title }) => {
    const text = sections.get(title);
    return text === undefined ? [] : [`## ${title}\n\n${text}`];
  });
  return `${[...head, ...parts].join('\n\n')}\n`;
}

function argsOf({ args, quick }: Bench): readonly string[] {
  return values.quick && quick ? quick : args;
}

async function outputOf(bench: Bench): Promise<{ text: string; code: number | null }> {
  const args = [...(bench.node ?? []), `bench/${bench.name}.ts`, ...argsOf(bench)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { text, code };
}
