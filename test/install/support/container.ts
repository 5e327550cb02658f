import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Ran } from '../../support/cli.ts';

/** What an image says about how it is run (OCI image specification). */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}

/**
 * An image, loaded with skopeo and unpacked with umoci, whose program runs in a chroot as the image says: its user, folder,
 * environment and command. There is no network of its own, and no /proc.
 */
export class Container implements Disposable {
  readonly root: string;
  readonly image: ImageConfig;
  readonly #folder: string;
  readonly #running = new Set<ChildProcess>();

  constructor(archive: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'ticketscan-container-'));
    const layout = join(this.#folder, 'layout');
    const bundle = join(this.#folder, 'bundle');
    execFileSync('skopeo', ['copy', '--quiet', `oci-archive:${archive}`, `oci:${layout}:image`]);
    execFileSync('umoci', ['unpack', '--image', `${layout}:image`, bundle], { stdio: 'pipe' });
    this.root = join(bundle, 'rootfs');
    this.image = JSON.parse(
      execFileSync('skopeo', ['inspect', '--config', `oci:${layout}:image`], { encoding: 'utf8' }),
    ).config;
  }

  /** Starts what `docker run IMAGE ARGUMENTS` would: without arguments, the image's own command. */
  start(
    args: readonly string[] = this.image.Cmd,
    environment: Record<string, string> = {},
  ): ChildProcess {
    const [uid, gid] = this.image.User.split(':');
    const place = [`--root=${this.root}`, `--wd=${this.image.WorkingDir}`];
    const user = [`--setgid=${gid}`, `--setuid=${uid}`];
    const own = this.image.Env.map((line) => line.split(/=(.*)/s).slice(0, 2));
    const env = { ...Object.fromEntries(own), ...environment };
    const command = [...place, ...user, ...this.image.Entrypoint, ...args];
    const child = spawn('unshare', command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  /** Runs a command until it ends. */
  async run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
    const child = this.start(args, environment);
    const [out, err, [code]] = await Promise.all([
      text(child.stdout as NodeJS.ReadableStream),
      text(child.stderr as NodeJS.ReadableStream),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    return { code, out, err };
  }

  /** Puts a file into the image's file system, as a mount would. */
  mount(path: string, content: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o644 });
  }

  [Symbol.dispose](): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
