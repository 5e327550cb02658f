import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcess } from '../support/in-process.ts';

/** One command for each way in which a file is read or written; FILE is its name. */
const READS = [
  'explain file:FILE',
  'store restore FILE.age --yes',
  'store copy sqlite:FILE sqlite:new.db',
  'store copy json:FILE sqlite:new.db',
  'store copy sqlite:ticketscan.db sqlite:FILE',
  'audit --store sqlite:FILE',
  'audit --store json:FILE',
  'tickets import FILE.csv',
  'tickets import FILE.jsonl',
  'mint --event Mine --from-csv FILE --out o',
  'mint --event Mine --from-json FILE --out o',
  'mint --event Mine --logo FILE --format pdf --out o',
  'mint --event Mine --font FILE --format pdf --out o',
  'mint --event Mine --keyring FILE --out o',
  'events list --config FILE',
  'events list --url https://127.0.0.1:1 --token file:FILE',
  'events list --url https://127.0.0.1:1 --token abcdefgh --ca FILE',
  'check http://127.0.0.1:1 --target FILE',
  'check http://127.0.0.1:1 --baseline FILE',
  'check device --run true --fast --resume FILE',
  'device-files check FILE',
  'simulate --scenario FILE',
  'simulate virtual: --model access-controller --duration 1s --cards-from FILE',
  'record show FILE',
  'scan x --url http://127.0.0.1:1 --key file:FILE',
  'serve --port 0 --tls-cert FILE --tls-key FILE',
  'serve --port 0 --metrics 0 --metrics-token-file FILE',
  'store backup new.age --passphrase file:FILE',
];
const WRITES = [
  'signing-keys export-public --out FILE',
  'tickets revoke-list --out FILE',
  'tickets export --format csv --out FILE',
  'seed --yes --count 1 --out FILE',
  'simulate virtual: --model access-controller --duration 1s --report json=FILE',
  'check device --run true --fast --sheet FILE',
];

const folder = new InProcess();
const path = (name: string) => join(folder.path, name);
const KINDS = ['pipe', 'socket', 'folder', 'link'] as const;
const ENDINGS = ['', '.csv', '.jsonl', '.age'];
const servers = ENDINGS.map(() => createServer());

beforeAll(async () => {
  await folder.run('events create --name Mine');
  for (const [index, ending] of ENDINGS.entries()) {
    execFileSync('mkfifo', [path(`pipe${ending}`)]);
    execFileSync('mkdir', [path(`folder${ending}`)]);
    symlinkSync('nowhere', path(`link${ending}`));
    servers[index]?.listen(path(`socket${ending}`));
    await once(servers[index] as object as NodeJS.EventEmitter, 'listening');
  }
});
afterAll(async () => {
  for (const server of servers) server.close();
  await folder[Symbol.asyncDispose]();
});

/** A pipe without another side is waited for some seconds: one command for each reader and each writer. */
const OF_PIPES =
  /^(explain|store restore|audit --store json|tickets import FILE.csv|mint .*--(from-json|font)|events list --config|check http.*target|tickets (export|revoke))/;

test.each(KINDS)(
  'a %s in the place of a file is refused by name, and never waited for without an end',
  async (kind) => {
    for (const line of [...READS, ...(kind === 'folder' ? [] : WRITES)]) {
      // A store or keyring is made where a link leads.
      if (kind === 'link' && /copy sqlite:ticketscan|audit|--keyring/.test(line)) continue;
      if (kind === 'pipe' && !OF_PIPES.test(line)) continue;
      const { code, err } = await folder.run(line.replaceAll('FILE', kind));
      expect([line, code, err]).toEqual([line, 2, expect.stringContaining(kind)]);
    }
  },
);
