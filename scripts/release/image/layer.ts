import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export interface Blob {
  /** `sha256:…` of the bytes as they are stored. */
  readonly digest: string;
  readonly size: number;
}

export interface Layer extends Blob {
  /** `sha256:…` of the tar file before compression. */
  readonly diffId: string;
}

/** Some files of a folder, all with the same owner. */
export interface Part {
  readonly folder: string;
  readonly paths: readonly string[];
  readonly owner: number;
}

/**
 * A tar file whose bytes depend on names, modes and contents only: sorted, with one time, numeric owners, and no trace of
 * who made it.
 * @param epoch seconds since 1970, of every entry
 */
export function writeTar(file: string, parts: readonly Part[], epoch: number): void {
  rmSync(file, { force: true });
  for (const { folder, paths, owner } of parts) {
    const one = ['--sort=name', `--mtime=@${epoch}`, '--format=ustar', '--numeric-owner'];
    const owners = [`--owner=${owner}`, `--group=${owner}`];
    const args = ['--append', '--file', file, '--directory', folder, ...one, ...owners, ...paths];
    execFileSync('tar', args, { env: { ...process.env, LC_ALL: 'C' } });
  }
}

/** Stores the parts as a compressed layer in `blobs`, named by its digest. */
export async function addLayer(
  blobs: string,
  parts: readonly Part[],
  epoch: number,
): Promise<Layer> {
  const tar = join(blobs, '..', 'layer.tar');
  const zipped = `${tar}.gz`;
  mkdirSync(blobs, { recursive: true });
  writeTar(tar, parts, epoch);
  const [plain, packed] = [createHash('sha256'), createHash('sha256')];
  await pipeline(
    createReadStream(tar),
    tapped((chunk) => plain.update(chunk)),
    createGzip(),
    tapped((chunk) => packed.update(chunk)),
    createWriteStream(zipped),
  );
  const hex = packed.digest('hex');
  const { size } = statSync(zipped);
  renameSync(zipped, join(blobs, hex));
  rmSync(tar);
  return { digest: `sha256:${hex}`, size, diffId: `sha256:${plain.digest('hex')}` };
}

function tapped(see: (chunk: Buffer) => void): PassThrough {
  return new PassThrough().on('data', see);
}
