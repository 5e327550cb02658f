import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import packageFile from '../../package.json' with { type: 'json' };
import { USER, writeBaseRoot } from './image/base-root.ts';
import { packagesIn, withPackages } from './image/debian-packages.ts';
import { describeImage } from './image/descriptions.ts';
import { addLayer, writeTar } from './image/layer.ts';

export interface ImageOptions {
  /** The single executable for linux-x64. */
  readonly program: string;
  /** The folder in which the image and its compose file are written. */
  readonly folder: string;
  /** Seconds since 1970: the time of the program and of the image. */
  readonly epoch: number;
  /** A folder with the Debian packages; without it they are downloaded. */
  readonly packages?: string;
}

/** The same packages give the same layer in every release: who has it need not download it again. */
const BASE_EPOCH = 0;
const COMPOSE_FILE = resolve(import.meta.dirname, '../../examples/container/docker-compose.yml');

/**
 * Builds the container image, without Docker: an OCI image layout as a tar file, which `docker load` reads as well. The same
 * program, packages and time give the same bytes.
 * @returns the paths of the image and of its compose file
 * @throws Error where Debian's tools are missing: apt-get (to download), dpkg-deb and tar
 */
export async function buildImage(options: ImageOptions): Promise<[image: string, compose: string]> {
  const { packages } = options;
  if (packages === undefined) {
    return withPackages((downloaded) => buildImage({ ...options, packages: downloaded }));
  }
  const work = mkdtempSync(join(tmpdir(), 'ticketscan-image-'));
  // Everybody may read what is packed, whatever the umask here.
  const umask = process.umask(0o022);
  try {
    return await writeImage(work, options, packages);
  } finally {
    process.umask(umask);
    rmSync(work, { recursive: true });
  }
}

async function writeImage(
  work: string,
  { program, folder, epoch }: ImageOptions,
  packages: string,
): Promise<[image: string, compose: string]> {
  const [base, own, layout] = [join(work, 'base'), join(work, 'own'), join(work, 'layout')];
  const debian = packagesIn(packages);
  writeBaseRoot(base, debian);
  writeProgram(own, program);
  const blobs = join(layout, 'blobs/sha256');
  const everything = (root: string) => {
    return { folder: root, paths: readdirSync(root).sort(), owner: 0 };
  };
  const layers = [
    await addLayer(blobs, [everything(base)], BASE_EPOCH),
    await addLayer(
      blobs,
      [
        { folder: own, paths: ['usr/bin/ticketscan'], owner: 0 },
        { folder: own, paths: [USER.home.slice(1)], owner: USER.id },
      ],
      epoch,
    ),
  ];
  const { version, license, description } = packageFile;
  describeImage(layout, layers, { version, license, description, epoch, packages: debian });
  const output = resolve(folder, `ticketscan-${version}-image-amd64.tar`);
  writeTar(output, [everything(layout)], epoch);
  const compose = resolve(folder, 'docker-compose.yml');
  copyFileSync(COMPOSE_FILE, compose);
  return [output, compose];
}

function writeProgram(root: string, program: string): void {
  const file = join(root, 'usr/bin/ticketscan');
  const home = join(root, USER.home);
  mkdirSync(join(file, '..'), { recursive: true });
  copyFileSync(program, file);
  chmodSync(file, 0o755);
  mkdirSync(home, { recursive: true });
  // A new volume takes owner and mode from it.
  chmodSync(home, 0o700);
}
