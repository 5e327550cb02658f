import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages, idOf } from '../bundled-packages.ts';
import { RUNTIME_VERSION, RUNTIMES } from './runtimes.ts';
import type { Release } from './step.ts';

/** The parts of a CycloneDX document that are read or changed here. */
interface Sbom {
  serialNumber: string;
  metadata: { timestamp: string; component: { 'bom-ref': string; name: string; type: string } };
  components: object[];
  dependencies: object[];
}
interface Component {
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { readonly name: string }[];
}

/**
 * Lists the packages inside the artefacts, and Node inside the executables, as CycloneDX. npm describes everything that is installed here;
 * what is only a tool of the build is left out.
 * @throws Error when a bundled package is not among the installed ones
 */
export function writeSbom({ folder, version, epoch }: Release): string[] {
  const sbom = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    }),
  ) as Sbom;
  const installed = new Map((sbom.components as Component[]).map((one) => [idOf(one), one]));
  const components = bundledPackages().map((one) => {
    const found = installed.get(idOf(one));
    if (!found) throw new Error(`${idOf(one)} is bundled, but npm does not list it.`);
    // To npm, everything that is bundled is a tool of the build.
    return { ...found, properties: [] };
  });
  sbom.metadata.component.name = 'ticketscan';
  sbom.metadata.timestamp = new Date(epoch * 1000).toISOString();
  sbom.components = [...components, NODE];
  sbom.dependencies = [
    {
      ref: sbom.metadata.component['bom-ref'],
      dependsOn: [...installed.keys()].filter(isIn(components)),
    },
  ];
  sbom.serialNumber = serialOf(JSON.stringify({ ...sbom, serialNumber: '' }));
  const path = join(folder, `ticketscan-${version}.cdx.json`);
  writeFileSync(path, `${JSON.stringify(sbom, null, 2)}\n`);
  return [path];
}

const NODE = {
  'bom-ref': `node@${RUNTIME_VERSION}`,
  type: 'platform',
  name: 'node',
  version: RUNTIME_VERSION,
  description: 'In the executables, the Debian package and the container image.',
  purl: `pkg:generic/node@${RUNTIME_VERSION}`,
  licenses: [{ license: { id: 'MIT' } }],
  properties: Object.entries(RUNTIMES).map(([platform, { sha256 }]) => ({
    name: `ticketscan:sha256:${platform}`,
    value: sha256,
  })),
};

function isIn(components: readonly Component[]): (id: string) => boolean {
  const ids = new Set(components.map(idOf));
  return (id) => ids.has(id);
}

/** A UUID (version 8, RFC 9562) made from the content: the same content has the same one. */
function serialOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return `urn:uuid:${[...parts, hex.slice(20, 32)].join('-')}`;
}
