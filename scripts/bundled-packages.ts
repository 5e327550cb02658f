import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package whose code or files are in what the build makes. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX identifier, as the package states it. */
  readonly identifier: string | null;
  /** The text of its licence, where the package has a file with it. */
  readonly text?: string;
}

/** The packages of the program, and those of the dashboard, which the page's own build lists in the same form. */
export const PACKAGE_LISTS = ['dist/packages.json', 'dist/dashboard/.packages.json'] as const;

/** @param files that the build read, relative or absolute; @returns the packages that they belong to, by name and version */
export function packagesOf(files: readonly string[]): BundledPackage[] {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []));
  return byId([...folders].map(readPackage));
}

/** What is in the lists that the build wrote, each package once. */
export function bundledPackages(): BundledPackage[] {
  const all = PACKAGE_LISTS.flatMap(
    (list) => JSON.parse(readFileSync(list, 'utf8')) as BundledPackage[],
  );
  return byId(all);
}

export function idOf({ name, version }: { name: string; version: string }): string {
  return `${name}@${version}`;
}

/** Each package once, in order. */
function byId(packages: readonly BundledPackage[]): BundledPackage[] {
  const all = new Map(packages.map((one) => [idOf(one), one]));
  return [...all.keys()].sort().flatMap((id) => all.get(id) ?? []);
}

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The folder that npm made: a package may have files named package.json in folders of its own. */
function packageFolder(file: string): string | undefined {
  return PACKAGE_FOLDER.exec(file)?.[0];
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license?: string };
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  const text = file === undefined ? {} : { text: readFileSync(join(folder, file), 'utf8') };
  return { name, version, identifier: license ?? null, ...text };
}
