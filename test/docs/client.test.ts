import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startTicketscan } from '../../src/testing/index.ts';

const run = promisify(execFile);
const EXAMPLE = 'examples/client/gate.js';

test('docs/testing/client.md shows the example that runs', () => {
  const source = readFileSync(EXAMPLE, 'utf8');
  expect(readFileSync('docs/testing/client.md', 'utf8')).toContain(`\`\`\`js\n${source}\`\`\`\n`);
});

test('the example opens for a good ticket, and for nothing else', async () => {
  await using service = await startTicketscan({ seed: 'all-states' });
  const codes = [service.ticket('single'), service.ticket('expired')];
  const gate = (key: string) =>
    run(process.execPath, [EXAMPLE, ...codes], {
      env: { ...process.env, SCAN_URL: service.url, SCAN_KEY: key },
    });

  expect((await gate(service.keys.rest)).stdout).toBe(
    'open: use 1 of 1\nstay closed: Ticket has expired\n',
  );
  expect((await gate(service.keys.disabled)).stdout).toBe(
    'stay closed, use taken: no (key_refused)\n'.repeat(2),
  );
});

test('the example for check device opens for a good ticket, and tells what it shows', async () => {
  await using service = await startTicketscan({ seed: 'all-states' });
  const env = { ...process.env, TICKETSCAN_URL: service.url, TICKETSCAN_KEY: service.keys.rest };
  const running = run(process.execPath, ['examples/client/judged-gate.js'], { env });
  const codes = [service.ticket('single'), service.ticket('expired')];
  running.child.stdin?.end(codes.map((present) => `${JSON.stringify({ present })}\n`).join(''));

  const { stdout } = await running;

  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { tells: ['door', 'display'] },
    { display: { note: 'Ticket consumed' } },
    { door: 'open' },
    { done: true },
    { display: { note: 'Ticket has expired' } },
    { done: true },
  ]);
});
