import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canStepClock, fakeClock } from '../faults/clock.ts';
import type { Part } from '../part.ts';
import { ask, newAgent } from '../world/ask.ts';
import { sleep } from '../world/load.ts';
import { mustRun, type ProgramPlace, run, type ServeOptions, serve } from '../world/program.ts';
import { Random } from '../world/random.ts';
import { copyOf, createWorld, type World } from '../world/world.ts';
import { type LoggedScan, problemsOf } from './judge.ts';
import { newCertificate, Receiver } from './receiver.ts';

const KILLS_PER_ROUND = 10;
const FAULTS_PER_THOUSAND = 8;
const DELIVERED_MS_MAX = 120_000;

/** Two webhooks of one server: one with a good receiver, one with a bad one. */
export const webhooks: Part = {
  name: 'webhooks',
  about: 'kill -9 while webhooks are delivered to a receiver that is slow, away, or lies',
  // The command line asks a running server for its webhooks on the store.
  engines: ['sqlite'],
  async run({ seed, engine, kills, say }) {
    const world = await createWorld(engine, 40);
    const rounds = Math.ceil(kills / KILLS_PER_ROUND);
    const { messages, repeated } = await deliverUnderKills(world, rounds, seed, say);
    const switchedOff = canStepClock()
      ? await switchOff(world, seed)
      : 'without libfaketime, not tried';
    rmSync(world.folder, { recursive: true, force: true });
    return `${rounds} kills, ${messages} scans told, in order, none lost and none invented, ${repeated} told again; after 72 hours: ${switchedOff}`;
  },
};

interface MadeWebhook {
  readonly waiting: number;
  readonly switchedOffReason: string | null;
}

/** @throws Error when a promise was broken */
async function deliverUnderKills(
  world: World,
  rounds: number,
  seed: number,
  say: (text: string) => void = () => {},
): Promise<{ messages: number; repeated: number }> {
  const random = new Random(seed);
  const place = copyOf(world, 'webhooks');
  const certificate = await newCertificate(place.folder);
  const bad = await webhookFor(place, 'Bad', await Receiver.start(certificate, random.fork()));
  const good = await webhookFor(place, 'Good', await Receiver.start(certificate, random.fork()));
  const receivers = [good, bad];
  const since = (await logOf(place, world)).at(-1)?.sequence ?? 0;
  for (let round = 1; round <= rounds; round += 1) {
    bad.faultsPerThousand = FAULTS_PER_THOUSAND;
    bad.isDown = random.between(0, 3) === 0;
    const before = good.arrivals.length;
    const server = await serve(place, networkOf(bad));
    await scan(world, server.url, random, random.between(20, 120));
    // Nobody delivers until the lease of the server that was killed is over.
    for (let waited = 0; waited < 100 && good.arrivals.length === before; waited += 1)
      await sleep(100);
    bad.isDown = false;
    await sleep(random.between(0, 1000));
    await server.stop('SIGKILL');
    say(`${round} of ${rounds}: ${bad.arrivals.length} messages`);
  }
  for (const one of receivers) one.faultsPerThousand = 0;
  const server = await serve(place, networkOf(bad));
  await until(async () => (await listed(place)).every(({ waiting }) => waiting === 0));
  await server.stop('SIGTERM');
  const log = (await logOf(place, world)).filter(({ sequence }) => sequence > since);
  const problems = receivers.flatMap((receiver) => problemsOf(receiver, log));
  for (const receiver of receivers) receiver.stop();
  if (problems.length > 0) throw new Error(problems.slice(0, 10).join('\n'));
  const messages = new Set(bad.arrivals.map(({ id }) => id)).size;
  rmSync(place.folder, { recursive: true, force: true });
  return { messages, repeated: bad.arrivals.length - messages };
}

/** A receiver that is away for more than 72 hours by the server's clock: switched off, and enabled again it gets everything. */
async function switchOff(world: World, seed: number): Promise<string> {
  const random = new Random(seed);
  const place = copyOf(world, 'webhooks-72h');
  const certificate = await newCertificate(place.folder);
  const receiver = await webhookFor(
    place,
    'Away',
    await Receiver.start(certificate, random.fork()),
  );
  const since = (await logOf(place, world)).at(-1)?.sequence ?? 0;
  receiver.isDown = true;
  receiver.hasSendersTime = false;
  const file = join(place.folder, 'faketime');
  writeFileSync(file, '+0\n');
  const { args = [] } = networkOf(receiver);
  const server = await serve(place, { args, environment: fakeClock(file) });
  await scan(world, server.url, random, 20);
  await until(async () => (await attempts(place)) > 0);
  const isOff = async () => (await listed(place))[0]?.switchedOffReason === 'failed_too_long';
  writeFileSync(file, '+71h\n');
  await sleep(1500);
  if (await isOff()) throw new Error('it was switched off before 72 hours were over');
  writeFileSync(file, '+73h\n');
  await until(isOff);
  receiver.isDown = false;
  await scan(world, server.url, random, 20);
  if (receiver.arrivals.length > 0)
    throw new Error('a webhook that was switched off got a message');
  // By the same clock: a webhook is enabled again after the time at which it was switched off.
  const environment = Object.entries(fakeClock(file)).map(([name, value]) => `${name}=${value}`);
  const enabled = await run(
    place,
    ['webhooks', 'edit', 'Away', '--enable'],
    ['env', ...environment],
  );
  if (enabled.code !== 0) throw new Error(enabled.err);
  await until(async () => (await listed(place)).every(({ waiting }) => waiting === 0));
  await server.stop('SIGTERM');
  receiver.stop();
  const log = (await logOf(place, world)).filter(({ sequence }) => sequence > since);
  const problems = problemsOf(receiver, log);
  if (problems.length > 0) throw new Error(problems.slice(0, 10).join('\n'));
  rmSync(place.folder, { recursive: true, force: true });
  return `switched off, and ${receiver.arrivals.length} scans told when it was enabled again`;
}

/** Makes the webhook of a receiver. */
async function webhookFor(
  place: ProgramPlace,
  name: string,
  receiver: Receiver,
): Promise<Receiver> {
  const [first] = JSON.parse(await mustRun(place, ['organisations', 'list', '--json'])) as {
    id: string;
  }[];
  const { secret } = JSON.parse(
    await mustRun(place, [
      'webhooks',
      'create',
      '--name',
      name,
      '--endpoint',
      receiver.url,
      '--json',
      '--events',
      'scan.granted,scan.denied',
      '--organisation',
      first?.id ?? '',
      '--webhook-networks',
      '127.0.0.1',
      '--webhook-ca',
      receiver.caFile,
    ]),
  ) as { secret: string };
  receiver.secret = secret;
  return receiver;
}

function networkOf({ caFile }: Receiver): ServeOptions {
  return { args: ['--webhook-networks', '127.0.0.1', '--webhook-ca', caFile] };
}

/** Scans of all outcomes, one after another. */
async function scan(world: World, url: string, random: Random, count: number): Promise<void> {
  const { keys, tickets } = world.open;
  const states = ['single', 'multi', 'permanent', 'exhausted', 'cancelled', 'expired'];
  const agent = newAgent();
  for (let index = 0; index < count; index += 1) {
    const some = tickets[states[random.between(0, states.length - 1)] ?? ''] ?? [];
    const { code = '' } = some[random.between(0, some.length - 1)] ?? {};
    const action = random.between(0, 4) === 0 ? 'validate' : 'consume';
    const key = random.between(0, 1) === 0 ? keys.rest : keys.hardware;
    await ask(url, { action, key, code }, agent);
  }
  agent.destroy();
}

async function logOf(place: ProgramPlace, world: World): Promise<LoggedScan[]> {
  const out = await mustRun(place, ['log', '--json', '--after', '0', '--limit', '1000000']);
  const ours = new Set(Object.values(world.open.keys).map(({ id }) => id));
  const entries = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LoggedScan);
  return entries.filter(({ keyId }) => ours.has(keyId));
}

async function listed(place: ProgramPlace): Promise<MadeWebhook[]> {
  return JSON.parse(await mustRun(place, ['webhooks', 'list', '--json'])) as MadeWebhook[];
}

async function attempts(place: ProgramPlace): Promise<number> {
  const out = await mustRun(place, ['webhooks', 'deliveries', 'Away', '--json']);
  return (JSON.parse(out) as unknown[]).length;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + DELIVERED_MS_MAX; Date.now() < end; ) {
    if (await condition()) return;
    await sleep(500);
  }
  throw new Error(`after ${DELIVERED_MS_MAX / 1000} s, not everything was delivered`);
}
