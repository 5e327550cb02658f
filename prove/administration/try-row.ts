import { rmSync } from 'node:fs';
import type { Step } from '../power-cut/syscalls.ts';
import { runAndKill } from '../world/program.ts';
import { Random } from '../world/random.ts';
import { imagesOf, recordCommand, writeImage } from './file-steps.ts';
import { Judge } from './judge.ts';
import { DatabaseCopies, recordConversation, replay } from './postgres-steps.ts';
import type { Command, Row } from './rows.ts';
import { type AnyEngine, copySite, type Site } from './site.ts';

/** The share of a command's time in which a process only starts. */
const STARTED_SHARE = 0.4;

export interface TriedRow {
  /** The places at which the command can be stopped. */
  readonly steps: number;
  readonly tried: number;
  /** Processes of the command that were killed at a moment of chance, besides. */
  readonly killed: number;
  /** States that the command went on from. */
  readonly continued: number;
  readonly problems: readonly string[];
}

export interface TryOptions {
  readonly seed: number;
  /** How many steps are tried besides changes of names, others with another seed; all where not given. */
  readonly sample?: number;
  /** Kills this many processes of the command at moments of chance; none where not given. */
  readonly kills?: number;
}

/** Stops a command on an engine at each of its steps, and judges what is found then. */
export async function tryRow(
  base: Site,
  row: Row,
  engine: AnyEngine,
  options: TryOptions,
): Promise<TriedRow> {
  return engine === 'postgres'
    ? tryOnServer(base, row, options)
    : tryOnFiles(base, row, engine, options);
}

async function tryOnServer(base: Site, row: Row, options: TryOptions): Promise<TriedRow> {
  await using copies = await DatabaseCopies.open();
  const site = await copySite(base, 'postgres', {
    ...(row.isNew && { isNew: row.isNew }),
    url: copies.url,
  });
  const command = await row.prepare(site, base);
  await copies.keep('before');
  const sent = await recordConversation(site.place, command.args);
  await copies.keep('after');
  const judge = await Judge.of(site, command, (end) => copies.show(end));
  const problems: string[] = [];
  const ends = sent.flatMap(({ isEnd }, index) => (isEnd ? [index + 1] : []));
  const wanted = sampled(ends, options);
  for (const count of wanted) {
    await copies.show('before');
    await replay(copies.url, sent.slice(0, count));
    await copies.left();
    const problem = await judge.problem();
    if (problem !== undefined) problems.push(`  kill -9 after message ${count}: ${problem}`);
  }
  const show = async () => {
    await copies.left();
    await copies.show('before');
  };
  const killed = await killProcesses({ site, command, judge, show }, options, problems);
  if (problems.length === 0) rmSync(site.outside, { recursive: true });
  const [steps, tried] = [sent.length, wanted.length];
  return { steps, tried, killed, continued: judge.continued, problems };
}

async function tryOnFiles(
  base: Site,
  row: Row,
  engine: 'sqlite' | 'json',
  options: TryOptions,
): Promise<TriedRow> {
  const site = await copySite(base, engine, { ...(row.isNew && { isNew: row.isNew }) });
  const command = await row.prepare(site, base);
  const { folder } = site.place;
  const recorded = await recordCommand(site.place, command.args);
  const steps = recorded.steps.length;
  const judge = await Judge.of(site, command, async (end) => writeImage(folder, recorded[end]));
  const wanted = wantedOf(recorded.steps, options);
  const problems: string[] = [];
  let tried = 0;
  for (const { step, how, files } of imagesOf(recorded, options.seed, (index) =>
    wanted.has(index),
  )) {
    writeImage(folder, files);
    tried += 1;
    const problem = await judge.problem();
    if (problem !== undefined)
      problems.push(`  ${how} before step ${step} (${recorded.steps[step]?.kind}): ${problem}`);
  }
  const show = async () => writeImage(folder, recorded.before);
  const killed = await killProcesses({ site, command, judge, show }, options, problems);
  if (problems.length === 0) rmSync(site.outside, { recursive: true });
  return { steps, tried, killed, continued: judge.continued, problems };
}

interface Killing {
  readonly site: Site;
  readonly command: Command;
  readonly judge: Judge;
  /** Puts the state before the command into its place. */
  readonly show: () => Promise<void>;
}

/** Adds what is wrong after one of them. @returns how many died before their end */
async function killProcesses(
  { site, command, judge, show }: Killing,
  { seed, kills = 0 }: TryOptions,
  problems: string[],
): Promise<number> {
  if (kills === 0) return 0;
  const random = new Random(seed);
  await show();
  const from = performance.now();
  await site.run(...command.args);
  const wholeMs = Math.ceil(performance.now() - from);
  let killed = 0;
  for (let index = 0; index < kills; index += 1) {
    await show();
    const afterMs = random.between(STARTED_SHARE * wholeMs, wholeMs);
    if (await runAndKill(site.place, command.args, afterMs)) killed += 1;
    const problem = await judge.problem();
    if (problem !== undefined) problems.push(`  killed after ${afterMs} ms: ${problem}`);
  }
  return killed;
}

function wantedOf(steps: readonly Step[], options: TryOptions): ReadonlySet<number> {
  const all = steps.map((_, index) => index);
  const names = all.filter((index) => /rename|link/.test(steps[index]?.kind ?? ''));
  return new Set([...names, ...sampled(all, options)]);
}

function sampled(steps: readonly number[], { seed, sample = steps.length }: TryOptions): number[] {
  const every = Math.max(1, Math.floor(steps.length / sample));
  return steps.filter((_, index) => index % every === seed % every);
}
