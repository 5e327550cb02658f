import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { explore } from '../../../src/check/index.ts';
import { type KeyName, keyVariable } from '../../../src/check/target/target.ts';
import { minterOf } from '../../mutants/history/minter.ts';
import { HISTORY_TWINS } from '../../mutants/history/twins/index.ts';
import { startServer } from '../../mutants/reference/server.ts';
import { temporaryFolder } from '../support/files.ts';

const limits = { rate: 1e6, burst: 1e6 };

/** Runs the script of a failure with bash, on new tickets. @returns what curl printed */
async function outputOf(name: string): Promise<string> {
  const twin = HISTORY_TWINS.find((one) => one.name === name);
  const server = await startServer(twin?.make());
  onTestFinished(server.close);
  const { baseUrl, target, world } = server;
  const mint = minterOf(world);
  const { failure } = await explore({ baseUrl, target, limits, consume: true, mint, seed: 1 });
  const script = failure?.script ?? '';
  const keys = Object.entries(target.keys).map(([key, value]) => [
    keyVariable(key as KeyName),
    value,
  ]);
  const wanted = [...script.matchAll(/\$\{(TICKET_\w+):\?the code of a ([^}]+)\}/g)];
  const kinds = { 'multi-use card': 'multi', 'permanent card': 'permanent' } as const;
  const tickets = await Promise.all(
    wanted.map(async ([, variable, kind]) => {
      const ticket = await mint(kinds[kind as keyof typeof kinds] ?? 'single');
      return [variable, ticket?.code];
    }),
  );
  const file = join(temporaryFolder(), 'fault.sh');
  writeFileSync(file, script);
  const env = { PATH: process.env['PATH'], ...Object.fromEntries([...keys, ...tickets]) };
  return (await promisify(execFile)('bash', [file], { env })).stdout;
}

test.each(['consume-cached', 'second-key-resets', 'signature-remembered-hardware-consume'])(
  'the script of a failure shows the fault again: %s',
  async (name) => {
    const output = await outputOf(name);
    const grants = [...output.matchAll(/"usesConsumed":(\d+)|gültig \((\d+)/g)].map(
      ([, rest, device]) => rest ?? device,
    );
    // each of these gives a use of the ticket a second time, or one for a forged code
    const isTwice = grants.some((used, i) => grants.indexOf(used) !== i);
    const isForged = !output.includes('Ungültiges Ticket') && name.startsWith('signature');
    expect(isTwice || isForged, output).toBe(true);
  },
);
