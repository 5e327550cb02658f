import type { Endpoint } from '../../../src/check/index.ts';
import type { Incoming, Parts, Reply } from '../reference/parts.ts';
import { partsOf, respond, type ServerOptions } from '../reference/server.ts';
import { makeWorld, type World } from '../reference/world.ts';
import { incomingOf, probesFor } from './probes.ts';

const MINUTE_MS = 60_000;
const { world: pattern, target } = makeWorld();
const requests = new Map<Endpoint, readonly Incoming[]>();
const right = new Map<Endpoint, Promise<readonly string[]>>();

/** The probes of an endpoint that a faulty server answers in another way than the right one, or that leave other counters. */
export async function showsOn(endpoint: Endpoint, options: ServerOptions): Promise<boolean> {
  const expected = right.get(endpoint) ?? collected(tell(endpoint, {}));
  right.set(endpoint, expected);
  const wanted = (await expected).values();
  for await (const said of tell(endpoint, options)) {
    if (said !== wanted.next().value) return true;
  }
  return false;
}

async function collected(all: AsyncIterable<string>): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of all) texts.push(text);
  return texts;
}

/** Everything that one endpoint says to its probes, and the counters afterwards. */
async function* tell(endpoint: Endpoint, options: ServerOptions): AsyncGenerator<string> {
  const world = copyOf(pattern);
  const { altered } = partsOf(world, options);
  for (const incoming of requestsTo(endpoint)) yield await answerOf(incoming, altered);
  yield [...world.tickets.values()].map(({ usesConsumed }) => usesConsumed).join();
}

/** Made once: all servers get the same. */
function requestsTo(endpoint: Endpoint): readonly Incoming[] {
  const made =
    requests.get(endpoint) ??
    probesFor(endpoint, target).map((probe) => incomingOf(endpoint, probe));
  requests.set(endpoint, made);
  return made;
}

async function answerOf(incoming: Incoming, parts: Parts): Promise<string> {
  try {
    return textOf(await respond(incoming, parts));
  } catch {
    return '500';
  }
}

/** The moment of a scan is near enough when it is of the same minute. */
function textOf({ status, headers, body }: Reply): string {
  const text = JSON.stringify(body);
  const timeless = text?.includes('"scannedAt"') ? JSON.stringify(body, roundScannedAt) : text;
  return `${status} ${JSON.stringify(headers)} ${timeless}`;
}

function roundScannedAt(name: string, value: unknown): unknown {
  return name === 'scannedAt' && typeof value === 'string'
    ? Math.round((Date.parse(value) - Date.now()) / MINUTE_MS)
    : value;
}

function copyOf(world: World): World {
  return {
    secret: world.secret,
    tickets: new Map([...world.tickets].map(([id, ticket]) => [id, { ...ticket }])),
    keys: new Map([...world.keys].map(([value, key]) => [value, { ...key }])),
    deletedKeys: world.deletedKeys,
  };
}
