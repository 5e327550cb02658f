import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CliIo, processIo } from '../../src/terminal/io.ts';
import { command } from '../../src/testing/commands/serve.ts';

test('serve that fails after it began to listen listens no more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-serve-'));
  let url = '';
  const io: CliIo = {
    ...processIo(),
    env: { TICKETSCAN_STORE: `sqlite:${join(folder, 'ticketscan.db')}` },
    out: (line) => {
      url = (JSON.parse(line) as { url: string }).url;
      throw new Error('nobody reads this');
    },
    stopSignal: () => new AbortController().signal,
  };

  const serving = command(io).parseAsync(['--json', '--port', '0'], { from: 'user' });

  await expect(serving).rejects.toThrow('nobody reads this');
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
  rmSync(folder, { recursive: true, force: true });
});
