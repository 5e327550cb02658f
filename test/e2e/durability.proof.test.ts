import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder, consume, targetOf } from '../support/cli.ts';

const hasStrace = spawnSync('strace', ['-V']).status === 0;
const TRACE = [
  'strace',
  // The tracer steps aside, so that signals reach the server itself.
  '-D',
  '-f',
  // Stops the server at these calls only, and not at each.
  '--seccomp-bpf',
  '-y',
  '-s',
  '64',
  '-e',
  'trace=fdatasync,fsync,write,writev,sendto,sendmsg',
  '-o',
  'trace.txt',
];
const STORES = ['sqlite:./ticketscan.db', 'json:./ticketscan.json'];
/** Matches a sync of the write-ahead log, of either store. */
const SYNCED = /f(data)?sync\(\d+<.*-wal>\) += 0|<\.\.\. f(data)?sync resumed>.*= 0/;
const ANSWERED = /(write|writev|sendto|sendmsg)\(.*HTTP\/1\.1 200 OK/;

test.skipIf(!hasStrace).each(STORES)(
  '%s: every acknowledged consume was synced to the disk before its answer was sent',
  async (store) => {
    await using folder = await new CliFolder();
    await folder.run(['seed', '--store', store, '--count', '1', '--out', 'target.json']);
    const { keys, tickets } = targetOf(readFileSync(join(folder.path, 'target.json'), 'utf8'));
    const server = await folder.serve(['--store', store], TRACE);
    const uses = 20;
    for (let use = 0; use < uses; use += 1) {
      const answer = await consume(server.url, keys['rest'] ?? '', tickets['permanent']?.[0] ?? '');
      expect(answer.status).toBe('consumed');
    }
    await server.stop('SIGTERM');

    const lines = readFileSync(join(folder.path, 'trace.txt'), 'utf8').split('\n');
    let synced = false;
    let answers = 0;
    for (const line of lines) {
      if (SYNCED.test(line)) synced = true;
      if (!ANSWERED.test(line)) continue;
      answers += 1;
      expect(synced, `answer ${answers} went out before a sync: ${line}`).toBe(true);
      synced = false;
    }
    expect(answers).toBe(uses);
  },
);
