import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SOURCES = globSync('src/check/**/*.ts');

const COMMAND = 'A command is of this machine.';
const ENTRANCE = 'What others call is of this machine.';

/** Where the checker may look at the time of this machine, or wait by it: all else gets its clock from whoever calls it. */
const OF_THIS_MACHINE: Readonly<Record<string, string>> = {
  'src/check/commands/device/judge-device.ts': COMMAND,
  'src/check/commands/device/run-subject.ts': COMMAND,
  'src/check/commands/fresh-tickets.ts': COMMAND,
  'src/check/commands/key-hooks.ts': COMMAND,
  'src/check/commands/monitor.ts': COMMAND,
  'src/check/requests/real-world.ts': 'A server in this process gets turns of the event loop.',
  'src/check/time/clock.ts': 'The clocks of this machine.',
  'src/check/time/own-delays.ts': 'Watches this machine.',
};

/** Where the clock or the network of this machine is chosen. */
const CHOSEN: Readonly<Record<string, string>> = {
  'src/check/device/world.ts': 'Makes it.',
  'src/check/explore/compare.ts': ENTRANCE,
  'src/check/explore/explore.ts': ENTRANCE,
  'src/check/explore/replay.ts': ENTRANCE,
  'src/check/requests/connection.ts': 'A socket is of this machine.',
  'src/check/requests/real-world.ts': 'Makes it.',
  'src/check/run/run.ts': ENTRANCE,
  'src/check/deployment/read-target.ts': ENTRANCE,
  'src/check/time/clock.ts': 'Makes it.',
};

test.each([
  [
    'reads a clock of this machine, or waits by it',
    /performance\s*\.\s*now|\bDate\s*\.\s*now|\bnew Date\(\)|\bDate\(\)|hrtime|\bset(?:Timeout|Interval|Immediate)\b|['"](?:node:)?timers|AbortSignal\s*\.\s*timeout/,
    OF_THIS_MACHINE,
  ],
  ['chooses the clock or the network of this machine', /\bREAL_(?:CLOCK|WORLD)\b/, CHOSEN],
])('a source of the checker that %s is on the list, with the reason', (_, pattern, allowed) => {
  const found = SOURCES.filter((file) => pattern.test(readFileSync(file, 'utf8')));
  expect(found.toSorted(), 'take the clock as a parameter').toEqual(
    Object.keys(allowed).toSorted(),
  );
});
