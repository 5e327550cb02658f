import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packNpmPackage } from '../../../scripts/release/package.ts';

const run = promisify(execFile);

/** The variables of a shell of one's own: the runner that runs this must not tell the one it starts what to do. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|JEST|NODE_V8|NODE_TEST|NODE_OPTIONS|CI$|TICKETSCAN|npm_)/.test(name),
  ),
);

/** A folder of somebody who has the package of a release, and neither the checkout nor a network. */
export class Stranger implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'ticketscan-stranger-'));
  readonly installed = join(this.folder, 'node_modules/ticketscan');
  /** What npm said when it installed the package. */
  readonly warnings: string;
  readonly #tarball: string;

  constructor() {
    this.#tarball = packNpmPackage(this)[0] ?? '';
    this.write('package.json', '{"private":true}');
    const install = ['install', '--offline', '--no-audit', '--no-fund', this.#tarball];
    const { stderr } = spawnSync('npm', install, {
      cwd: this.folder,
      env: ENVIRONMENT,
      encoding: 'utf8',
    });
    this.warnings = stderr;
  }

  /** The file that was installed. */
  get tarball(): Buffer {
    return readFileSync(this.#tarball);
  }

  /** The packages that npm installed. */
  get packages(): string[] {
    const lock = JSON.parse(readFileSync(join(this.folder, 'package-lock.json'), 'utf8'));
    return Object.keys(lock.packages).filter((path) => path !== '');
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Copies an example of the installed package into a folder of the same name, a project of its own. */
  copyExample(name: string, type: 'module' | 'commonjs'): string {
    const folder = join(this.folder, name);
    cpSync(join(this.installed, 'examples', name), folder, { recursive: true });
    this.write(`${name}/package.json`, JSON.stringify({ private: true, type }));
    return folder;
  }

  /** Puts a package of the checkout beside the installed one: people have their own test runner and compiler. */
  borrow(name: string): string {
    const [from, to] = [resolve('node_modules', name), join(this.folder, 'node_modules', name)];
    mkdirSync(dirname(to), { recursive: true });
    if (!existsSync(to)) symlinkSync(from, to);
    return to;
  }

  /** Runs a program in `cwd`, with `node` as the only Node on the PATH. @throws Error when it fails, with its output */
  run(node: string, args: readonly string[], cwd = this.folder) {
    const env = { ...ENVIRONMENT, PATH: `${dirname(node)}:/usr/bin:/bin`, NO_COLOR: '1' };
    return run(node, args, { cwd, env });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
