import type { Endpoint } from '../../../src/check/index.ts';
import type { Parts, Reply } from '../reference/parts.ts';
import { partsOf, respond, type ServerOptions } from '../reference/server.ts';
import { makeWorld, type World } from '../reference/world.ts';
import { incomingOf, probesFor } from './probes.ts';

const MINUTE_MS = 60_000;
const { world: pattern, target } = makeWorld();
const right = new Map<Endpoint, Promise<readonly string[]>>();

/** The probes of an endpoint that a faulty server answers in another way than the right one, or that leave other counters. */
export async function showsOn(endpoint: Endpoint, options: ServerOptions): Promise<boolean> {
  const expected = right.get(endpoint) ?? tell(endpoint, {});
  right.set(endpoint, expected);
  return (await tell(endpoint, options)).join('\n') !== (await expected).join('\n');
}

/** Everything that one endpoint says to its probes, and the counters afterwards. */
async function tell(endpoint: Endpoint, options: ServerOptions): Promise<string[]> {
  const world = copyOf(pattern);
  const { altered } = partsOf(world, options);
  const said: string[] = [];
  for (const probe of probesFor(endpoint, target)) {
    said.push(`${probe.name}: ${await answerOf(endpoint, probe, altered)}`);
  }
  const uses = [...world.tickets.values()].map(({ usesConsumed }) => usesConsumed);
  return [...said, uses.join()];
}

async function answerOf(
  endpoint: Endpoint,
  probe: Parameters<typeof incomingOf>[1],
  parts: Parts,
): Promise<string> {
  try {
    return textOf(await respond(incomingOf(endpoint, probe), parts));
  } catch {
    return '500';
  }
}

/** The moment of a scan is near enough when it is of the same minute. */
function textOf({ status, headers, body }: Reply): string {
  const text = JSON.stringify(body, (name, value) =>
    name === 'scannedAt' && typeof value === 'string'
      ? Math.round((Date.parse(value) - Date.now()) / MINUTE_MS)
      : value,
  );
  return `${status} ${JSON.stringify(headers)} ${text}`;
}

function copyOf(world: World): World {
  return {
    secret: world.secret,
    tickets: new Map([...world.tickets].map(([id, ticket]) => [id, { ...ticket }])),
    keys: new Map([...world.keys].map(([value, key]) => [value, { ...key }])),
    deletedKeys: world.deletedKeys,
  };
}
