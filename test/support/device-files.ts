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
