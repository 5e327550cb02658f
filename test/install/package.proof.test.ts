import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { CliFolder } from '../support/cli.ts';
import { Stranger } from './support/stranger.ts';

const MB = 1_000_000;

let stranger: Stranger;
beforeAll(() => {
  stranger = new Stranger();
});
afterAll(() => stranger[Symbol.dispose]());

test('the package is small and brings no other package', () => {
  expect(stranger.packages).toEqual(['node_modules/ticketscan']);
  expect(stranger.tarball.length).toBeLessThan(8 * MB);
  expect(packageFile).not.toHaveProperty('dependencies');
  expect(packageFile.engines.node).toBe('^22.20.0 || >=24.7.0');
});

test('the package brings no script of the checkout, and npm does not warn of one', () => {
  const published = JSON.parse(readFileSync(join(stranger.installed, 'package.json'), 'utf8'));

  expect(published).not.toHaveProperty('scripts');
  expect(published.version).toBe(packageFile.version);
  expect(stranger.warnings).not.toContain('script');
  // Whoever installs from a git address gets the checkout, and builds it.
  expect(packageFile.scripts.prepare).toBe('node scripts/prepare.ts');
});

test('the installed command plays the whole demo in an empty folder', async () => {
  await using folder = new CliFolder(
    process.execPath,
    join(stranger.installed, 'bin/ticketscan.js'),
  );
  const { code, out } = await folder.run(['demo', '--once']);
  expect(code).toBe(0);
  expect(out).toMatch(/door OPEN \(relay IN\)/);
  expect(out).toMatch(/\d{3} cases passed, 0 failed: the server conforms/);
  expect(readdirSync(folder.path)).toEqual([]);
});

test.each(['nodenext', 'bundler'])('the types hold under strict, resolved by %s', async (way) => {
  stranger.borrow('@types/node');
  stranger.write(
    'own.mts',
    `import { mintTickets, type MintedTicket } from 'ticketscan';
     import { check } from 'ticketscan/check';
     import { ScanClient } from 'ticketscan/client';
     import { Device } from 'ticketscan/simulate';
     import { connectTicketscan, type TicketscanService } from 'ticketscan/testing';
     import { useTicketscan } from 'ticketscan/testing/node-test';
     const ticket: MintedTicket | undefined = (await mintTickets({} as never))[0];
     const until: string | null | undefined = ticket?.validUntil;
     const service: TicketscanService = await connectTicketscan('', { testToken: '' });
     // @ts-expect-error a number is not an address
     await check({ baseUrl: 1 });
     export { Device, ScanClient, service, until, useTicketscan };`,
  );
  const module = way === 'bundler' ? 'esnext' : way;
  const options = ['--module', module, '--moduleResolution', way, '--target', 'es2022'];
  const compiler = resolve('node_modules/typescript/lib/tsc.js');
  const tsc = [compiler, '--noEmit', '--strict', '--types', 'node', ...options, 'own.mts'];
  await stranger.run(process.execPath, tsc);
});

test('what a CommonJS program requires has types that say CommonJS', async () => {
  for (const name of ['@types/node', 'vitest']) stranger.borrow(name);
  const entries = Object.entries(packageFile.exports).flatMap(([name, entry]) =>
    typeof entry === 'object' ? [[name.replace(/^\./, 'ticketscan'), entry] as const] : [],
  );
  expect(entries.filter(([, entry]) => !('require' in entry))).toEqual([]);
  const isOfVitest = ([name]: (typeof entries)[number]) => name.endsWith('/vitest');
  await compiles(entries.filter((one) => !isOfVitest(one)).map(([name]) => name));
  // Vitest's own declarations for CommonJS do not compile in this mode.
  await compiles(
    entries.filter(isOfVitest).map(([name]) => name),
    '--skipLibCheck',
  );
});

/** Compiles a CommonJS program that requires all of these. */
async function compiles(names: readonly string[], ...more: string[]): Promise<void> {
  const lines = names.map((name, index) => `import entry${index} = require('${name}');`);
  stranger.write(
    'own.cts',
    `${lines.join('\n')}\nexport { ${names.map((_, index) => `entry${index}`)} };`,
  );
  const options = ['--module', 'node16', '--moduleResolution', 'node16', '--target', 'es2022'];
  const compiler = resolve('node_modules/typescript/lib/tsc.js');
  const tsc = [compiler, '--noEmit', '--strict', '--types', 'node', ...options, ...more, 'own.cts'];
  await stranger.run(process.execPath, tsc);
}
