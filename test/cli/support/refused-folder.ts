import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { targetOf } from '../../support/cli.ts';
import { InProcess } from '../../support/in-process.ts';

const SCENARIO = 'name: One\ndevices: { gate: {} }\ncards: { card: { state: single } }\nsteps:\n';
const FILES: Readonly<Record<string, string>> = {
  'typo.json': '{"stroe": "memory:"}',
  'step.yaml': `${SCENARIO}  - presnt: card\n`,
  'member.yaml': `${SCENARIO}  - present: card\n    at: gate\n    exepct: {}\n`,
  'device.yaml': `${SCENARIO}  - powerOff: gaet\n`,
  'bad.yaml': 'deviceFile: 1\nname: Gate X\n',
  'one.csv': 'ticketId\n',
  'one.png': '',
  'bad.csv': 'type,uses,firstName\nsingle,,Ada\nmulti,500,Bob\n',
  'shop.csv': 'Bestellnummer;Ticketcode;Produkt\nB-1;X1;Tageskarte\n',
  'note.txt': 'buy milk',
  'broken.json': '{\n  "baseUrl": "http://127.0.0.1:9",\n  "keys": }',
  'broken.yaml': 'deviceFile: 1\nname: [gate\n',
  'member.json': '{"baseUrl": "http://127.0.0.1:9", "tickts": {}}',
  'list.json': '[]',
  'empty.json': '',
};

export const SECRETS = { PW: 'correct horse battery', WEAK: 'tiny' };

/** The sample park with an account, a webhook, a second organisation, a backup, and files that no command takes. */
export async function refusedFolder(stop?: AbortSignal) {
  const folder = new InProcess(stop);
  const path = (name: string) => join(folder.path, name);
  const { tickets } = targetOf(await folder.json('seed --count 2 --out target.json'));
  const park = ['--organisation', 'Sample leisure park'];
  const ada = ['accounts', 'create', '--name', 'ada', '--role', 'owner', '--password', 'env:PW'];
  await folder.run([...ada, ...park], SECRETS);
  const endpoint = ['--endpoint', 'https://erp.example.org'];
  await folder.run(['webhooks', 'create', '--name', 'ERP', ...endpoint, ...park]);
  await folder.run('organisations create --name Other');
  await folder.run('events create --name Mine --store sqlite:./mine.db');
  await folder.run('store backup backup.db');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path(name), text);
  writeFileSync(path('spoilt.db'), readFileSync(path('backup.db')).fill(0, 20_000, 60_000));
  symlinkSync('/dev/zero', path('zero.csv'));
  const foreign = new DatabaseSync(path('foreign.db'));
  foreign.exec('CREATE TABLE theirs (a)');
  foreign.close();
  const signing = (await folder.json('signing-keys rotate')).at(-1);
  const idOf = (state: string) => tickets[state]?.[1]?.split('.')[1] ?? '';
  const words = {
    SIGNING: signing.id,
    SINGLE: idOf('single'),
    EVENT: idOf('otherEvent').slice(4, 10),
  };
  return { folder, words };
}
