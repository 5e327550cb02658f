import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describe as lineOf } from '../../../src/tickets/commands/decode.ts';
import { Workplace } from '../support/program.ts';

const place = new Workplace();

interface Decoded {
  readonly file: string;
  readonly page: number | null;
  readonly verified: boolean;
  readonly format: string;
  readonly ticketId: string;
  readonly revoked: boolean | null;
  readonly problem: string | null;
  readonly ticket: { state: string } | null;
}

beforeAll(async () => {
  await place.output('events', 'create', '--name', 'Pool');
  const mint = [
    'mint',
    '--event',
    'Pool',
    '--count',
    '4',
    '--format',
    'png,svg,pdf',
    '--no-verify',
  ];
  await place.output(...mint, '--out', 'ts1');
  await place.output(...mint, '--out', 'ts2', '--code-format', 'TS2');
});

afterAll(() => place.remove());

test('a folder is read with its sheet, and every code has the state of the store', async () => {
  const decoded = await place.json<Decoded[]>('decode', 'ts1');

  expect(decoded).toHaveLength(12);
  for (const one of decoded) {
    expect(one).toMatchObject({ verified: true, format: 'TS1', ticket: { state: 'valid' } });
  }
});

test('public keys verify TS2 codes with neither store nor keyring, and say so of TS1 codes', async () => {
  const offline = new Workplace();
  await place.output('signing-keys', 'export-public', '--out', offline.path('public.json'));
  writeFileSync(
    offline.path('public.pem'),
    await place.output('signing-keys', 'export-public', '--pem'),
  );
  for (const name of ['ts1', 'ts2']) {
    copyFileSync(place.path(name, 'tickets.pdf'), offline.path(`${name}.pdf`));
  }

  for (const keys of ['public.json', 'public.pem']) {
    const decoded = await offline.json<Decoded[]>('decode', 'ts2.pdf', '--public-key', keys);
    expect(decoded.map(({ verified, page }) => ({ verified, page }))).toEqual(
      Array.from({ length: 4 }, () => ({ verified: true, page: 1 })),
    );
  }
  const ts1 = await offline.run('decode', 'ts1.pdf', '--public-key', 'public.json');
  expect(ts1).toMatchObject({ code: 1, stdout: expect.stringContaining('with the keyring') });
  expect(readdirSync(offline.folder).toSorted()).toEqual([
    'public.json',
    'public.pem',
    'ts1.pdf',
    'ts2.pdf',
  ]);
  offline.remove();
});

test('a signed revoke list tells cancelled tickets, and is refused when a line was taken out', async () => {
  const [first] = await place.json<Decoded[]>('decode', 'ts2/tickets.pdf');
  await place.output('tickets', 'cancel', first?.ticketId ?? '');
  await place.output('tickets', 'revoke-list', '--out', 'revoked.txt');
  await place.output('signing-keys', 'export-public', '--out', 'public.json');
  const offline = ['--public-key', 'public.json', '--revoke-list'];

  const { code, stdout } = await place.run(
    'decode',
    'ts2/tickets.pdf',
    ...offline,
    'revoked.txt',
    '--json',
  );
  const revoked = (JSON.parse(stdout) as Decoded[]).map((one) => one.revoked);
  const list = readFileSync(place.path('revoked.txt'), 'utf8');
  writeFileSync(place.path('changed.txt'), list.replace(/^tkt_.*\n/mu, ''));
  const changed = await place.run('decode', 'ts2/tickets.pdf', ...offline, 'changed.txt');

  expect({ code, revoked }).toEqual({ code: 1, revoked: [true, false, false, false] });
  expect(changed).toMatchObject({ code: 2, stderr: expect.stringContaining('changed since') });
});

test('tickets of an older key stay genuine after a rotation, until the key is retired', async () => {
  const before = await place.json<{ id: string; format: string }[]>('signing-keys', 'list');
  const old = before.find(({ format }) => format === 'TS1')?.id ?? '';
  const tooSoon = await place.run('signing-keys', 'retire', old);
  await place.output('signing-keys', 'rotate', '--format', 'TS1');
  const rotated = await place.run('decode', 'ts1/tickets.pdf');
  await place.output('signing-keys', 'retire', old, '--yes');
  const retired = await place.run('decode', 'ts1/tickets.pdf');

  expect(tooSoon).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('rotate --format TS1'),
  });
  expect(rotated.code).toBe(0);
  expect(retired).toMatchObject({ code: 1, stdout: expect.stringContaining('NOT GENUINE') });
});

test('signing keys are listed without their secrets', async () => {
  const file = JSON.parse(readFileSync(place.path('ticketscan.keyring.json'), 'utf8')) as {
    keys: { secret: string }[];
  };
  const shown = await place.output('signing-keys', 'list', '--json');

  for (const { secret } of file.keys) expect(shown).not.toContain(secret);
});

test('a damaged image among good ones is named, and the good ones are read', async () => {
  const [name = ''] = readdirSync(place.path('ts2')).filter((one) => one.endsWith('.png'));
  const bytes = readFileSync(place.path('ts2', name));
  writeFileSync(place.path('cut.png'), bytes.subarray(0, 200));
  const { code, stdout } = await place.run('decode', 'cut.png', `ts2/${name}`, '--json');

  const decoded = JSON.parse(stdout) as Decoded[];
  expect(code).toBe(1);
  expect(decoded[0]?.problem).toContain('damaged PNG');
  expect(decoded[1]?.verified).toBe(true);
});

test('a picture that takes longer than ten seconds is given up, and the next files are read', async () => {
  const count = 30_000;
  const rules = Array.from({ length: count }, (_, number) => `.c${number}{fill:red}`).join('');
  const shapes = '<g class="x"/>'.repeat(count);
  writeFileSync(
    place.path('slow.svg'),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>${rules}</style>${shapes}</svg>`,
  );
  const { code, stdout } = await place.run('decode', 'slow.svg', 'ts2/tickets.pdf');
  const [slow, ...next] = stdout.trim().split('\n');

  expect(slow).toBe('slow.svg: takes longer than 10 seconds to read.');
  expect(next.filter((line) => line.includes(': genuine TS2'))).toHaveLength(4);
  expect(code).toBe(1);
}, 60_000);

test('a code that one of two readers reads says what to do, not what the readers are called', () => {
  const found = {
    ...{ file: 'a.png', ticketId: null, page: null, code: 'TS1.x', verified: false, format: null },
    ...{ signingKey: null, revoked: null, ticket: null, storeAsked: false, problem: null },
  };
  const line = lineOf({ ...found, decoders: ['zxing'] });
  expect(line).toContain('(only one of two readers reads it: print it larger');
  expect(line).not.toContain('zxing');
  expect(lineOf({ ...found, decoders: ['jsqr', 'zxing'] })).not.toContain('readers');
});
