import { mkdirSync, writeFileSync } from 'node:fs';
import { readme } from './readme.ts';
import { SAMPLES } from './samples.ts';
import { KEYRING, PUBLIC_KEYS } from './world.ts';

const FOLDER = 'fixtures/tickets';

/** Writes the sample tickets: `node test/mint/samples/write-samples.ts`. */
mkdirSync(FOLDER, { recursive: true });
for (const { file, draw } of SAMPLES) writeFileSync(`${FOLDER}/${file}`, await draw());
write('keyring.json', KEYRING);
write('public-keys.json', PUBLIC_KEYS);
write(
  'expected.json',
  SAMPLES.map(({ file, shows, decoded }) => ({ file, shows, decoded })),
);
writeFileSync(`${FOLDER}/README.md`, readme());

function write(name: string, content: unknown): void {
  writeFileSync(`${FOLDER}/${name}`, `${JSON.stringify(content, null, 2)}\n`);
}
