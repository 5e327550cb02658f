import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mintTickets, openKeyring, openPublicKeys, renderQr, verifyCode } from '../../src/index.ts';
import { Workplace } from './support/program.ts';

const root = join(import.meta.dirname, '../..');
const place = new Workplace();
let event = '';

beforeAll(async () => {
  await place.output('events', 'create', '--name', 'Pool');
  event = (await place.json<{ id: string }[]>('events', 'list'))[0]?.id ?? '';
  // The first command that needs the keyring makes it.
  await place.output('mint', '--event', 'Pool');
});

afterAll(() => place.remove());

test('tickets that a program mints are in the store, and their codes are genuine', async () => {
  const keyring = openKeyring(place.path('ticketscan.keyring.json'));
  const minted = await mintTickets({
    event,
    keyring,
    store: `sqlite:${place.path('ticketscan.db')}`,
    type: 'multi',
    uses: 10,
    count: 2,
    lastName: 'Παπαδοπούλου',
    validUntil: new Date('2027-01-01T00:00:00Z'),
  });

  expect(minted).toHaveLength(2);
  for (const { ticketId, code } of minted) {
    expect(verifyCode(code, keyring)).toMatchObject({ format: 'TS1', ticketId, eventId: event });
    expect(await place.json('tickets', 'show', ticketId)).toMatchObject({
      usesAllowed: 10,
      holder: { firstName: '', lastName: 'Παπαδοπούλου' },
      validUntil: '2027-01-01T00:00:00.000Z',
    });
  }
});

test('a changed code is not genuine, and a public key verifies TS2 codes alone', async () => {
  const keyring = openKeyring(place.path('ticketscan.keyring.json'));
  const store = `sqlite:${place.path('ticketscan.db')}`;
  await place.output('signing-keys', 'export-public', '--out', 'public.json');
  const publicKeys = openPublicKeys(place.path('public.json'));
  const [one] = await mintTickets({ event, keyring, store });
  const [two] = await mintTickets({ event, keyring, store, format: 'TS2' });

  expect(verifyCode(`${one?.code.slice(0, -1)}!`, keyring)).toBeUndefined();
  expect(verifyCode(one?.code ?? '', publicKeys)).toBeUndefined();
  expect(verifyCode(two?.code ?? '', publicKeys)).toMatchObject({ ticketId: two?.ticketId });
  await expect(mintTickets({ event, keyring: publicKeys, store, format: 'TS2' })).rejects.toThrow(
    'Codes are not made here: the keys here only verify them.',
  );
});

test('the package as it is built exports the same functions, with types that compile', () => {
  // Other tests run the built program meanwhile, so it is not built here.
  expect(existsSync(join(root, 'dist/index.js')), 'run npm run build first').toBe(true);
  mkdirSync(place.path('node_modules'), { recursive: true });
  symlinkSync(root, place.path('node_modules/ticketscan'));
  symlinkSync(join(root, 'node_modules/@types'), place.path('node_modules/@types'));
  writeFileSync(
    place.path('user.ts'),
    `import { openKeyring, renderQr, verifyCode } from 'ticketscan';
     const png: Buffer = renderQr('x', { format: 'png' });
     const id: string | undefined = verifyCode('x', openKeyring(process.argv[2] ?? ''))?.ticketId;
     // @ts-expect-error: there is no such format
     renderQr('x', { format: 'gif' });
     console.log(png.length, id);`,
  );
  const strict = ['--noEmit', '--strict', '--skipDefaultLibCheck'];
  const compile = [...strict, '--module', 'nodenext', '--types', 'node', 'user.ts'];
  execFileSync(join(root, 'node_modules/.bin/tsc'), compile, { cwd: place.folder });
  writeFileSync(
    place.path('run.mjs'),
    `import { renderQr } from 'ticketscan'; process.stdout.write(renderQr('x', { format: 'png' }));`,
  );

  const drawn = execFileSync(process.execPath, ['run.mjs'], { cwd: place.folder });

  expect(drawn.equals(renderQr('x', { format: 'png' }))).toBe(true);
  expect(readFileSync(join(root, 'dist/types/index.d.ts'), 'utf8')).toContain('mintTickets');
});
