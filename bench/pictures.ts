import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, relative, resolve } from 'node:path';

/**
 * How many pictures of QR codes `decode` reads, by the ending of their names, and the processor time that it takes: with the pictures that
 * other readers are tested with, whether a change to the finder lost any. The checkout must be built.
 * Usage: node bench/pictures.ts FOLDER…, or with the files themselves
 */
const given = process.argv.slice(2);
if (given.length === 0) {
  console.error('Say where pictures are: node bench/pictures.ts ../jsQR/tests');
  process.exit(2);
}
if (process.platform !== 'linux') {
  console.error('This needs Linux: it reads processor times from /proc.');
  process.exit(2);
}
const UNREAD_SHOWN = 50;

/** What `decode --json` says of a code, or of a picture without one. */
interface Line {
  readonly file: string;
  readonly code: string | null;
  readonly problem: string | null;
}

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-pictures-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

const lines = decoded(given.map((one) => resolve(one)));
const pictures = Map.groupBy(lines, ({ file }) => file);
const isRead = (file: string) => pictures.get(file)?.some(({ code }) => code !== null) ?? false;
const byEnding = Map.groupBy(pictures.keys(), (file) => extname(file).toLowerCase());
for (const [ending, files] of byEnding)
  console.log(`${ending.padEnd(6)} ${files.filter(isRead).length} of ${files.length}`);
const unread = [...pictures.keys()].filter((file) => !isRead(file));
console.log(`read   ${pictures.size - unread.length} of ${pictures.size} pictures`);
console.log(`time   ${childrenSeconds().toFixed(1)} s of processor time`);
for (const file of unread.slice(0, UNREAD_SHOWN))
  console.log(`unread ${relative('.', file)}: ${pictures.get(file)?.[0]?.problem ?? 'no code'}`);
if (unread.length > UNREAD_SHOWN) console.log(`… and ${unread.length - UNREAD_SHOWN} more`);

/** Reads them with a key that signed nothing: what a code says does not matter here. */
function decoded(paths: readonly string[]): Line[] {
  const publicKey = join(folder, 'key.pem');
  const { publicKey: key } = generateKeyPairSync('ed25519');
  writeFileSync(publicKey, key.export({ type: 'spki', format: 'pem' }));
  const options = ['decode', '--json', '--public-key', publicKey, ...paths];
  const { stdout, stderr } = spawnSync(process.execPath, ['bin/ticketscan.js', ...options], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (stdout.startsWith('[')) return JSON.parse(stdout) as Line[];
  console.error(stderr);
  process.exit(2);
}

/** The user and system time of the programs that this one waited for, as Linux counts it in hundredths. */
function childrenSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
