import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describe as lineOf } from '../../../src/features/mint/commands/decode.ts';
import { InProcess } from '../../support/in-process.ts';

const place = new InProcess();
const path = (...names: string[]) => join(place.path, ...names);

interface Decoded {
  readonly page: number | null;
  readonly verified: boolean;
  readonly ticketId: string;
  readonly revoked: boolean | null;
  readonly problem: string | null;
}

beforeAll(async () => {
  await place.run('events create --name Pool');
  const mint = 'mint --event Pool --count 2 --format png,svg,pdf --no-verify --out';
  await place.run(`${mint} ts1`);
  await place.run(`${mint} ts2 --code-format TS2`);
  await place.run('signing-keys export-public --out public.json');
});
afterAll(() => place[Symbol.asyncDispose]());

test('a folder is read with its sheet, and every code has the state of the store', async () => {
  const decoded = await place.json('decode ts1');
  const good = { verified: true, format: 'TS1', ticket: { state: 'valid' } };
  expect(decoded).toMatchObject(Array.from({ length: 6 }, () => good));
});

test('public keys verify TS2 codes with neither store nor keyring, and say so of TS1 codes', async () => {
  await using offline = new InProcess();
  const { out: pem } = await place.run('signing-keys export-public --pem');
  writeFileSync(join(offline.path, 'public.pem'), pem);
  copyFileSync(path('public.json'), join(offline.path, 'public.json'));
  for (const name of ['ts1', 'ts2'])
    copyFileSync(path(name, 'tickets.pdf'), join(offline.path, `${name}.pdf`));
  const files = readdirSync(offline.path);

  for (const keys of ['public.json', 'public.pem']) {
    const decoded = await offline.json(`decode ts2.pdf --public-key ${keys}`);
    expect(decoded).toMatchObject(Array.from({ length: 2 }, () => ({ verified: true, page: 1 })));
  }
  const ts1 = await offline.run('decode ts1.pdf --public-key public.json');
  expect(ts1).toMatchObject({ code: 1, out: expect.stringContaining('with the keyring') });
  expect(readdirSync(offline.path)).toEqual(files);
});

test('a signed revoke list tells cancelled tickets, and is refused when a line was taken out', async () => {
  const [first]: Decoded[] = await place.json('decode ts2/tickets.pdf');
  await place.json(`tickets cancel ${first?.ticketId}`);
  await place.run('tickets revoke-list --out revoked.txt');
  const decode = 'decode ts2/tickets.pdf --public-key public.json --revoke-list';

  const { code, out } = await place.run(`${decode} revoked.txt --json`);
  const revoked = (JSON.parse(out) as Decoded[]).map((one) => one.revoked);
  const list = readFileSync(path('revoked.txt'), 'utf8');
  writeFileSync(path('changed.txt'), list.replace(/^tkt_.*\n/mu, ''));

  expect({ code, revoked }).toEqual({ code: 1, revoked: [true, false] });
  expect((await place.run(`${decode} changed.txt`)).err).toContain('changed since');
});

test('tickets of an older key stay genuine after a rotation, until the key is retired', async () => {
  const before: { id: string; format: string }[] = await place.json('signing-keys list');
  const old = before.find(({ format }) => format === 'TS1')?.id ?? '';
  await place.json('signing-keys rotate --format TS1');
  expect(await place.run('decode ts1/tickets.pdf')).toMatchObject({ code: 0 });
  const shown = await place.run(`signing-keys retire ${old} --yes --json`);
  const retired = await place.run('decode ts1/tickets.pdf');
  expect([retired.code, retired.out]).toEqual([1, expect.stringContaining('NOT GENUINE')]);

  const file = readFileSync(path('ticketscan.keyring.json'), 'utf8');
  for (const { secret } of JSON.parse(file).keys) expect(shown.out).not.toContain(secret);
});

test('a damaged image and what is no file are named, and the good ones are read', async () => {
  const [name = ''] = readdirSync(path('ts2')).filter((one) => one.endsWith('.png'));
  writeFileSync(path('cut.png'), readFileSync(path('ts2', name)).subarray(0, 200));
  execFileSync('mkfifo', [path('pipe.png')]);
  const { code, out } = await place.run(`decode cut.png pipe.png /dev/zero ts2/${name} --json`);
  const decoded = JSON.parse(out) as Decoded[];
  expect([code, decoded.map((one) => one.problem)]).toEqual([
    1,
    [
      expect.stringContaining('damaged PNG'),
      ...Array(2).fill(expect.stringContaining('not a regular file')),
      null,
    ],
  ]);
  expect(decoded.at(-1)?.verified).toBe(true);
});

test('a code that one of two readers reads says what to do, not what the readers are called', () => {
  const found = {
    file: 'a.png',
    ticketId: null,
    page: null,
    code: 'TS1.x',
    verified: false,
    format: null,
    signingKey: null,
    revoked: null,
    ticket: null,
    storeAsked: false,
    problem: null,
  };
  const line = lineOf({ ...found, decoders: ['zxing'] });
  expect(line).toContain('(only one of two readers reads it: print it larger');
  expect(line).not.toContain('zxing');
  expect(lineOf({ ...found, decoders: ['jsqr', 'zxing'] })).not.toContain('readers');
});
