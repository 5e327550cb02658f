import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { JobThread } from '../../src/tickets/job-thread.ts';
import { TestStore } from '../support/stores.ts';

/** How much the threads of this process whose name begins so give way, from 0 (not) to 19 (most). */
function niceOf(name: string): number[] {
  const threads = readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    // The name is in brackets and may have spaces; the nice value is the 17th field behind it.
    const [, ownName = '', rest = ''] = /\((.*)\) (.*)/s.exec(stat) ?? [];
    return { ownName, nice: Number(rest.split(' ')[16]) };
  });
  return threads.filter(({ ownName }) => ownName.startsWith(name)).map(({ nice }) => nice);
}

test.runIf(process.platform === 'linux')(
  'a thread that draws sheets lets the threads of scans go first',
  async () => {
    await using _gate = await TestStore.openInThread('sqlite');
    const sheets = new JobThread('sheet');
    onTestFinished(() => sheets.close());
    const content = { language: 'en', timeZone: 'UTC', lines: [], logo: undefined } as const;

    await expect(
      sheets.run({ tickets: [], layout: 'none', content, title: 'none' }),
    ).rejects.toThrow('There is no paper format');

    expect(niceOf('job-worker')).toEqual([19]);
    expect(new Set(niceOf('sqlite-worker'))).toEqual(new Set([getPriority()]));
  },
);
