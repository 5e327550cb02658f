import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadDeviceFiles } from '../../src/device-files/load.ts';
import { changed, SMALL } from './support/small-file.ts';

describe('a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'device-files-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('all its files are loaded, and two of one name are refused', () => {
    expect(() => loadDeviceFiles(folder)).toThrow('has 0 files that end in .yaml or .yml');
    writeFileSync(join(folder, 'a.yaml'), SMALL);
    writeFileSync(join(folder, 'b.yml'), changed('name: small', 'name: other'));
    writeFileSync(join(folder, 'readme.txt'), 'not a device file');
    expect(loadDeviceFiles(folder).map(({ name }) => name)).toEqual(['small', 'other']);
    writeFileSync(join(folder, 'c.yaml'), SMALL);
    expect(() => loadDeviceFiles(folder)).toThrow('c.yaml: the name "small" is already that of');
  });

  test('what is not there, and what is too long', () => {
    expect(() => loadDeviceFiles(join(folder, 'none.yaml'))).toThrow('none.yaml cannot be read');
    writeFileSync(join(folder, 'long.yaml'), `${SMALL}# ${'x'.repeat(70_000)}`);
    expect(() => loadDeviceFiles(join(folder, 'long.yaml'))).toThrow('at most 64 KiB');
  });

  test('a named pipe, a device and a folder in place of a file are refused at once', () => {
    const own = mkdtempSync(join(folder, 'irregular-'));
    mkdirSync(join(own, 'inner.yaml'));
    expect(() => loadDeviceFiles(own)).toThrow('inner.yaml is not a regular file');
    const pipe = join(own, 'pipe.yaml');
    execFileSync('mkfifo', [pipe]);
    // Something to read: without it, reading the pipe would block the test for ever.
    const writer = spawn('dd', [`if=${join(folder, 'a.yaml')}`, `of=${pipe}`], { stdio: 'ignore' });
    onTestFinished(() => void writer.kill());
    for (const path of [pipe, '/dev/null'])
      expect(() => loadDeviceFiles(path)).toThrow(`${path} is not a regular file`);
  });

  test('two files of one path are refused when a denial of each opens the doors of the other', () => {
    const own = mkdtempSync(join(folder, 'shared-'));
    const at = (name: string, granted: number, denied: number) => {
      const text = changed('name: small', `name: ${name}`)
        .replace('    code:', '    path: /scan\n    code:')
        .replace('granted: { type: text/plain, body: open }', `granted: { status: ${granted} }`)
        .replace(
          "denied: { type: text/plain, body: 'shut {{note}}' }",
          `denied: { status: ${denied} }`,
        );
      writeFileSync(join(own, `${name}.yaml`), text);
    };
    at('one', 200, 403);
    at('other', 403, 200);
    expect(() => loadDeviceFiles(own)).toThrow(/other\.yaml: POST \/scan is a path of each/);
    at('other', 202, 200);
    expect(loadDeviceFiles(own)).toHaveLength(2);
  });
});
