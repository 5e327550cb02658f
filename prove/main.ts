import { parseArgs } from 'node:util';
import { type Part, type PartOptions, RepeatableError, SkippedError } from './part.ts';
import { PARTS } from './parts.ts';
import { newSeed } from './world/random.ts';
import type { Engine } from './world/world.ts';

const USAGE = `Usage: npm run prove -- [nightly|part…] [--store sqlite|json] [--seed N] [--cuts N] [--kills N] [--fail-overs N] [--scans N]

Parts (without a name all but those that are nightly):
${PARTS.map(({ name, about, isNightly }) => `  ${name.padEnd(14)} ${about}${isNightly ? ' (nightly)' : ''}`).join('\n')}

A run prints its seed; with --seed it draws the same chances again.`;

const NIGHTLY = 'nightly';
const { values, positionals } = readArguments();
const chosen = PARTS.filter(
  ({ name, isNightly }) =>
    positionals.includes(NIGHTLY) ||
    positionals.includes(name) ||
    (positionals.length === 0 && !isNightly),
);
const mistake = mistakeIn(positionals);

if (values.help) console.log(USAGE);
else if (mistake !== undefined) {
  console.error(`${mistake}\n\n${USAGE}`);
  process.exitCode = 2;
} else process.exitCode = await runAll();
process.exit();

function mistakeIn(parts: readonly string[]): string | undefined {
  const unknown = parts.filter(
    (name) => name !== NIGHTLY && !PARTS.some((part) => part.name === name),
  );
  if (unknown.length > 0) return `There is no part ${unknown.join(', ')}.`;
  const { store } = values;
  if (store !== undefined && store !== 'sqlite' && store !== 'json')
    return `--store is sqlite or json, not "${store}".`;
  for (const name of ['seed', 'cuts', 'kills', 'fail-overs', 'scans'] as const) {
    const text = values[name];
    if (text !== undefined && !/^\d+$/.test(text))
      return `--${name} must be a whole number, not "${text}".`;
  }
  return undefined;
}

/** Ends the process where the arguments are none. */
function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        store: { type: 'string' },
        seed: { type: 'string' },
        cuts: { type: 'string', default: '2000' },
        kills: { type: 'string', default: '200' },
        'fail-overs': { type: 'string', default: '100' },
        scans: { type: 'string', default: '2000000' },
      },
    });
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${USAGE}`);
    process.exit(2);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the exit code: 0 kept, 1 broken, 2 when nothing could be tried. */
async function runAll(): Promise<number> {
  const seed = values.seed === undefined ? newSeed() : Number(values.seed);
  console.log(`seed ${seed}`);
  const ran: Verdict[] = [];
  const from = Date.now();
  if (positionals.includes(NIGHTLY)) {
    // The tests of a commit try a part of some sets.
    process.env['TICKETSCAN_WHOLE'] = 'yes';
    // The tests that draw by chance draw the same in every run but this one.
    process.env['TICKETSCAN_SEED'] = String(seed);
  }
  for (const part of chosen) {
    const engines = part.engines?.filter((engine) => (values.store ?? engine) === engine);
    for (const engine of engines ?? [undefined]) ran.push(await runOne(part, engine, seed));
  }
  const [kept, broken, skipped] = (['kept', 'broken', 'skipped'] as const).map(
    (verdict) => ran.filter((one) => one === verdict).length,
  );
  const counts = `${kept} kept, ${broken} broken, ${skipped} skipped; seed ${seed}, ${minutes(from)}`;
  if (broken) console.log(`A PROMISE WAS BROKEN (${counts}).`);
  else if (kept) console.log(`Every promise that was tried was kept (${counts}).`);
  else console.log(`Nothing was tried: no part that was named runs there (${counts}).`);
  if (broken) return 1;
  return kept ? 0 : 2;
}

type Verdict = 'kept' | 'broken' | 'skipped';

async function runOne(part: Part, on: Engine | undefined, seed: number): Promise<Verdict> {
  const from = Date.now();
  const name = on ? `${part.name} on ${on}` : part.name;
  const say = (text: string) => process.stderr.write(`  ${text}\n`);
  const [cuts, kills, scans] = [Number(values.cuts), Number(values.kills), Number(values.scans)];
  const failOvers = Number(values['fail-overs']);
  const options: PartOptions = { seed, engine: on ?? 'sqlite', cuts, kills, failOvers, scans, say };
  try {
    console.log(`ok    ${name}: ${await part.run(options)} (${minutes(from)})`);
    return 'kept';
  } catch (error) {
    if (error instanceof SkippedError) {
      console.log(`skip  ${name}: ${error.message}`);
      return 'skipped';
    }
    console.log(`FAIL  ${name}: ${messageOf(error)}`);
    const again = error instanceof RepeatableError ? error.seed : seed;
    console.log(
      `      again: npm run prove -- ${part.name}${on ? ` --store ${on}` : ''} --seed ${again}`,
    );
    return 'broken';
  }
}

function minutes(fromMs: number): string {
  return `${((Date.now() - fromMs) / 60_000).toFixed(1)} min`;
}
