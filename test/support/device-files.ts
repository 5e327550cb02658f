import { readdirSync } from 'node:fs';
import { parseDeviceFile } from '../../src/device-files/load.ts';
import type { DeviceFile } from '../../src/device-files/schema.ts';

/**
 * A small device file whose device sends its code in the JSON member that has the file's name.
 * @param answers the YAML of `answers`, indented by two blanks, and of what opens where it must be said
 * @param path empty for the Card URL
 */
export function aDeviceFile(name: string, answers: string, path = '/scan'): DeviceFile {
  return parseDeviceFile(
    `deviceFile: 1
name: ${name}
title: ${name}
proven: nothing
requests:
  - kind: scan
${path && `    path: ${path}\n`}    when: [{ json: ${name} }]
    code: { json: ${name} }
answers:
${answers}
`,
    `${name}.yaml`,
  );
}

const FOLDER = 'fixtures/device-files';

/** The names of the device files that come with the program. */
export const BUILT_IN_NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length))
  .sort();

/** Where one of them is. */
export const builtInPath = (name: string) => `${FOLDER}/${name}.yaml`;
