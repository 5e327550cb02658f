import { readFileSync } from 'node:fs';
import { parseDeviceFile } from '../../../../src/device-files/load.ts';

/** The device file of docs/devices/device-files.md, as text. */
export function gatexText(): string {
  const page = readFileSync('docs/devices/device-files.md', 'utf8');
  const text = /```yaml\n(# yaml-language-server[\s\S]*?)```/.exec(page)?.[1];
  if (text === undefined) throw new Error('docs/devices/device-files.md has no device file');
  return text;
}

/** The same, read. */
export function gatexFile() {
  return parseDeviceFile(gatexText(), 'gatex.yaml');
}
