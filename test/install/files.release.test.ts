import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };

const EPOCH = 1_790_000_000;
/** Some twenty seconds on a machine that does nothing else. */
const BUILDS_MS_MAX = 300_000;
const NAME = `ticketscan-${packageFile.version}`;

/** The executable in it is for this system; the whole release takes minutes. */
describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('npm run release', () => {
  const work = mkdtempSync(join(tmpdir(), 'ticketscan-release-test-'));
  const [first, second] = [join(work, 'first'), join(work, 'second')];

  beforeAll(async () => {
    await release('--short', '--out', first);
    await release('--short', '--out', second);
  }, BUILDS_MS_MAX);
  afterAll(() => rmSync(work, { recursive: true }));

  test('makes every file of its short form, and the sums of all', () => {
    expect(readdirSync(first).sort()).toEqual(
      [
        'CHANGELOG.md',
        'SHA256SUMS',
        'THIRD-PARTY-LICENSES.txt',
        `${NAME}-linux-x64`,
        `${NAME}.cdx.json`,
        `${NAME}.tgz`,
      ].sort(),
    );
    const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: first,
      encoding: 'utf8',
    });
    expect(checked.match(/: OK$/gm)).toHaveLength(5);
  });

  test('makes the same bytes in another folder at another time', () => {
    const sums = (folder: string) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
    expect(sums(second)).toBe(sums(first));
  });

  test('lists the packages inside with versions and licences, and no tool of the build', () => {
    const sbom = JSON.parse(readFileSync(join(first, `${NAME}.cdx.json`), 'utf8'));
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(sbom.metadata.timestamp).toBe(new Date(EPOCH * 1000).toISOString());
    const named = (name: string) =>
      sbom.components.filter((one: { name: string }) => one.name === name);
    // Code of the program, code of the page, a file that a package brings, and Node itself.
    const { fastify, react } = packageFile.devDependencies;
    for (const [name, range] of Object.entries({ fastify, react })) {
      const [{ version, licenses }] = named(name);
      expect(`^${version}`).toBe(range);
      expect(licenses).toEqual([{ license: { id: 'MIT' } }]);
    }
    expect(named('dejavu-fonts-ttf')).toHaveLength(1);
    expect(named('node')[0].version).toBe(process.versions.node);
    for (const tool of ['vitest', 'esbuild', 'vite', 'typescript']) expect(named(tool)).toEqual([]);
    const licences = readFileSync(join(first, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    expect(licences).toMatch(/^node@\d+\.\d+\.\d+\n-+\n\nNode\.js is licensed for use as follows/);
    for (const { name, version } of sbom.components.slice(0, -1)) {
      expect(licences).toContain(`${name}@${version} (`);
    }
  });

  test('leaves a folder alone that is not its own', async () => {
    writeFileSync(join(second, 'kept'), '');
    await expect(release('--short', '--out', second)).rejects.toThrow('is not empty');
    expect(readdirSync(second)).toContain('kept');
  });
});

function release(...args: string[]): Promise<unknown> {
  return promisify(execFile)(process.execPath, ['scripts/release/main.ts', ...args], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(EPOCH) },
  });
}
