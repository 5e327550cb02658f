import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import packageFile from '../../package.json' with { type: 'json' };
import { USER, writeBaseRoot } from './image/base-root.ts';
import { packagesIn, withPackages } from './image/debian-packages.ts';
import { describeImage } from './image/descriptions.ts';
import { addLayer, writeTar } from './image/layer.ts';

export interface ImageOptions {
  /** The single executable for linux-x64. */
  readonly program: string;
  /** The tar file to write: an OCI image layout that `docker load` reads as well. */
  readonly output: string;
  /** Seconds since 1970: the time of the program and of the image. */
  readonly timeSeconds: number;
  /** A folder with the Debian packages; without it they are downloaded. */
  readonly packages?: string | undefined;
}

/** The same packages give the same layer in every release: it is downloaded once. */
const BASE_TIME_SECONDS = 0;

/**
 * Writes the container image, without Docker. The same program, packages and time give the same bytes.
 * @throws Error where Debian's tools are missing (apt-get, dpkg-deb, tar)
 */
export async function buildImage(options: ImageOptions): Promise<void> {
  const { packages } = options;
  if (packages === undefined)
    return withPackages((folder) => buildImage({ ...options, packages: folder }));
  const work = mkdtempSync(join(tmpdir(), 'ticketscan-image-'));
  // What is packed is for everybody to read, whatever the umask of whoever packs it.
  const umask = process.umask(0o022);
  try {
    await writeImage(work, options, packages);
  } finally {
    process.umask(umask);
    rmSync(work, { recursive: true });
  }
}

async function writeImage(work: string, options: ImageOptions, packages: string): Promise<void> {
  const { program, output, timeSeconds } = options;
  const [base, own, layout] = ['base', 'own', 'layout'].map((name) => join(work, name)) as [
    string,
    string,
    string,
  ];
  const debian = packagesIn(packages);
  writeBaseRoot(base, debian);
  writeProgram(own, program);
  const blobs = join(layout, 'blobs/sha256');
  const home = USER.home.slice(1);
  const layers = [
    await addLayer(
      blobs,
      [{ folder: base, paths: readdirSync(base).sort(), owner: 0 }],
      BASE_TIME_SECONDS,
    ),
    await addLayer(
      blobs,
      [
        { folder: own, paths: ['usr/bin/ticketscan'], owner: 0 },
        { folder: own, paths: [home], owner: USER.id },
      ],
      timeSeconds,
    ),
  ];
  const { version, license, description } = packageFile;
  describeImage(layout, layers, { version, license, description, timeSeconds, packages: debian });
  writeTar(output, [{ folder: layout, paths: readdirSync(layout).sort(), owner: 0 }], timeSeconds);
}

function writeProgram(root: string, program: string): void {
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  copyFileSync(program, join(root, 'usr/bin/ticketscan'));
  chmodSync(join(root, 'usr/bin/ticketscan'), 0o755);
  // A new volume takes owner and mode from here.
  mkdirSync(join(root, USER.home), { recursive: true });
  chmodSync(join(root, USER.home), 0o700);
}

if (import.meta.main) {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { program: text, output: text, packages: text } });
  const { program = 'release/ticketscan-linux-x64', packages } = values;
  const { output = `release/ticketscan-${packageFile.version}-image-amd64.tar` } = values;
  const timeSeconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? Math.floor(Date.now() / 1000));
  await buildImage({ program, output, packages, timeSeconds });
}
