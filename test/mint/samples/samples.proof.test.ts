import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openPublicKeys, verifyCode } from '../../../src/index.ts';
import { readImage } from '../../../src/simulate/index.ts';
import { loadPictures } from '../../../src/tickets/reading/load-pictures.ts';
import { CliFolder, consume } from '../../support/cli.ts';
import { readme } from './readme.ts';
import { type Expected, SAMPLES } from './samples.ts';
import { CODES, KEYRING, PUBLIC_KEYS } from './world.ts';

const FOLDER = resolve('fixtures/tickets');
const pathOf = (file: string) => join(FOLDER, file);
const read = (file: string) => readFileSync(pathOf(file), 'utf8');
const IS_PICTURE = /\.(?:png|jpg)$/;

/** A folder with the samples' keyring, as the README says to copy it. */
function folderWithKeyring(): CliFolder {
  const folder = new CliFolder();
  writeFileSync(join(folder.path, 'ticketscan.keyring.json'), read('keyring.json'), {
    mode: 0o600,
  });
  return folder;
}

/** A hash of the pixels of each page; none where nothing can be drawn. Packed bytes may differ from one Node to the next. */
async function pixelsOf(file: string): Promise<string[]> {
  const hashes: string[] = [];
  try {
    for await (const { picture } of loadPictures(file))
      hashes.push(createHash('sha256').update(picture.data).digest('hex'));
  } catch {
    // Some samples are not pictures.
  }
  return hashes;
}

test('the folder is what the script writes, and small', async () => {
  const described = SAMPLES.map(({ file, shows, decoded }) => ({ file, shows, decoded }));
  expect(JSON.parse(read('expected.json'))).toEqual(described);
  expect(JSON.parse(read('keyring.json'))).toEqual(KEYRING);
  expect(JSON.parse(read('public-keys.json'))).toEqual(PUBLIC_KEYS);
  expect(read('README.md')).toBe(readme());
  const files = readdirSync(FOLDER);
  expect(files.length).toBe(SAMPLES.length + 4);
  const bytes = files.reduce((sum, file) => sum + statSync(pathOf(file)).size, 0);
  expect(bytes).toBeLessThan(300_000);

  await using folder = new CliFolder();
  for (const { file, draw } of SAMPLES) {
    const fresh = join(folder.path, file);
    writeFileSync(fresh, await draw());
    expect(await pixelsOf(pathOf(file)), file).toEqual(await pixelsOf(fresh));
  }
});

test('decode says of each sample what expected.json says', async () => {
  await using folder = folderWithKeyring();
  const { code, out } = await folder.run([
    'decode',
    ...SAMPLES.map(({ file }) => pathOf(file)),
    '--json',
  ]);

  const expected = SAMPLES.flatMap(({ file, decoded }) =>
    decoded.map((one) => ({ file: pathOf(file), ...one })),
  );
  expect(JSON.parse(out)).toMatchObject(expected);
  expect(JSON.parse(out)).toHaveLength(expected.length);
  expect(code).toBe(1);
});

test('decode ends with 0 where all samples are good', async () => {
  await using folder = folderWithKeyring();
  const good = ['genuine.png', 'offline.png'].map(pathOf);
  expect(await folder.run(['decode', ...good])).toMatchObject({ code: 0 });
});

test('the public key verifies the TS2 ticket, by command and by library, and no other', async () => {
  await using folder = new CliFolder();
  copyFileSync(pathOf('public-keys.json'), join(folder.path, 'public-keys.json'));
  const offline = ['decode', pathOf('offline.png'), '--public-key', 'public-keys.json'];
  expect(await folder.run(offline)).toMatchObject({ code: 0 });

  const keys = openPublicKeys(pathOf('public-keys.json'));
  const verified = Object.entries(CODES).filter(([, code]) => verifyCode(code, keys) !== undefined);
  expect(verified.map(([name]) => name)).toEqual(['offline']);
});

test.each(SAMPLES.filter(({ file }) => IS_PICTURE.test(file)))(
  'a simulated device reads $file as expected.json says',
  async ({ file, decoded: [first, ...others] }) => {
    const card = await readImage(pathOf(file)).catch(() => undefined);
    const codes = [first, ...others].map((one) => (one as Expected).code ?? undefined);
    expect(codes).toContain(card?.code);
  },
);

test('no bad sample is let in, and a genuine one is not found where it was not imported', async () => {
  await using folder = folderWithKeyring();
  const { key } = await folder.json(['keys', 'create', '--name', 'Gate', '--type', 'api']);
  const { url, stop } = await folder.serve();
  const notImported = ['genuine', 'second', 'third', 'offline'];
  for (const [name, code] of Object.entries(CODES)) {
    const { valid, status, reason = status } = await consume(url, key, code);
    const expected = notImported.includes(name) ? 'not_found' : 'invalid_ticket';
    expect({ name, valid, reason }).toEqual({ name, valid: false, reason: expected });
  }
  await stop();
});
