import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CA_BUNDLE, USER } from './base-root.ts';
import type { DebianPackage } from './debian-packages.ts';
import type { Blob, Layer } from './layer.ts';

const MEDIA = 'application/vnd.oci.image';

export interface ImageFacts {
  readonly version: string;
  readonly license: string;
  readonly description: string;
  /** Seconds since 1970, of the image. */
  readonly epoch: number;
  readonly packages: readonly DebianPackage[];
}

/** Writes what says how to run the layers (OCI image specification 1.0), and what `docker load` of older versions reads. */
export function describeImage(folder: string, layers: readonly Layer[], facts: ImageFacts): void {
  const blobs = join(folder, 'blobs/sha256');
  const add = (value: object): Blob => {
    const text = JSON.stringify(value);
    const hex = createHash('sha256').update(text).digest('hex');
    writeFileSync(join(blobs, hex), text);
    return { digest: `sha256:${hex}`, size: Buffer.byteLength(text) };
  };
  const config = add(configOf(layers, facts));
  const manifest = add({
    schemaVersion: 2,
    mediaType: `${MEDIA}.manifest.v1+json`,
    config: { mediaType: `${MEDIA}.config.v1+json`, ...config },
    layers: layers.map(({ digest, size }) => {
      return { mediaType: `${MEDIA}.layer.v1.tar+gzip`, digest, size };
    }),
  });
  const write = (name: string, value: object) =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  const name = `ticketscan:${facts.version}`;
  write('oci-layout', { imageLayoutVersion: '1.0.0' });
  write('index.json', {
    schemaVersion: 2,
    mediaType: `${MEDIA}.index.v1+json`,
    manifests: [
      {
        mediaType: `${MEDIA}.manifest.v1+json`,
        ...manifest,
        platform: PLATFORM,
        annotations: {
          'io.containerd.image.name': `docker.io/library/${name}`,
          'org.opencontainers.image.ref.name': facts.version,
        },
      },
    ],
  });
  const path = ({ digest }: Blob) => `blobs/${digest.replace(':', '/')}`;
  write('manifest.json', [{ Config: path(config), RepoTags: [name], Layers: layers.map(path) }]);
}

const SECOND_NS = 1_000_000_000;

/** Not in the OCI specification, which lets others be ignored: Docker's own, for a container without a compose file. */
const HEALTH = {
  Test: ['CMD', '/usr/bin/ticketscan', 'health'],
  Interval: 10 * SECOND_NS,
  Timeout: 6 * SECOND_NS,
  StartPeriod: 20 * SECOND_NS,
  StartInterval: SECOND_NS,
};

const PLATFORM = { architecture: 'amd64', os: 'linux' };

function configOf(layers: readonly Layer[], facts: ImageFacts): object {
  const created = new Date(facts.epoch * 1000).toISOString();
  const packages = facts.packages.map(({ name, version }) => `${name}=${version}`);
  return {
    created,
    ...PLATFORM,
    config: {
      User: `${USER.id}:${USER.id}`,
      ExposedPorts: { '8080/tcp': {} },
      Env: [
        'PATH=/usr/bin:/bin',
        `HOME=${USER.home}`,
        // Its own list, and authorities that somebody mounts over it.
        `SSL_CERT_FILE=${CA_BUNDLE}`,
        'NODE_USE_SYSTEM_CA=1',
        'TICKETSCAN_HOST=0.0.0.0',
        'TICKETSCAN_TLS_SELF_SIGNED=true',
      ],
      Entrypoint: ['/usr/bin/ticketscan'],
      Cmd: ['serve'],
      Volumes: { [USER.home]: {} },
      WorkingDir: USER.home,
      StopSignal: 'SIGTERM',
      Healthcheck: HEALTH,
      Labels: {
        'org.opencontainers.image.title': 'ticketscan',
        'org.opencontainers.image.description': facts.description,
        'org.opencontainers.image.version': facts.version,
        'org.opencontainers.image.licenses': facts.license,
        'org.opencontainers.image.created': created,
        'ticketscan.debian-packages': packages.join(' '),
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: [
      { created, created_by: `Debian packages: ${packages.join(' ')}` },
      { created, created_by: `ticketscan ${facts.version}` },
    ],
  };
}
