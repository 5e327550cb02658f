import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlOf, type DebianPackage, unpack } from './debian-packages.ts';

/** The user of the program, also as a number: orchestrators can see that it is not root. */
export const USER = { name: 'ticketscan', id: 65532, home: '/var/lib/ticketscan' };
export const CA_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

const NO_SHELL = '/usr/sbin/nologin';

/** Writes the files below the program: Debian's packages, two users, and the certificates of public authorities in one file. */
export function writeBaseRoot(root: string, packages: readonly DebianPackage[]): void {
  mkdirSync(root, { recursive: true });
  for (const one of packages) unpack(one, root);
  // Half of this layer, for iconv, which Node does not use.
  rmSync(join(root, 'usr/lib/x86_64-linux-gnu/gconv'), { recursive: true, force: true });
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o644 });
  };
  const { name, id, home } = USER;
  write(
    '/etc/passwd',
    `root:x:0:0:root:/root:${NO_SHELL}\n${name}:x:${id}:${id}::${home}:${NO_SHELL}\n`,
  );
  write('/etc/group', `root:x:0:\n${name}:x:${id}:\n`);
  write('/etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n');
  write(CA_BUNDLE, certificates(root));
  // Programs that look for known vulnerabilities read it.
  write('/var/lib/dpkg/status', `${packages.map(installed).join('\n')}`);
}

/** Joins the certificates as `update-ca-certificates` does when the package is installed. */
function certificates(root: string): string {
  const folder = join(root, 'usr/share/ca-certificates/mozilla');
  const files = readdirSync(folder).filter((name) => name.endsWith('.crt'));
  return files
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

function installed(one: DebianPackage): string {
  return controlOf(one).replace(/^(Package:.*)$/m, '$1\nStatus: install ok installed');
}
