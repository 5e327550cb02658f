import { baseUrlFrom } from '../../config/addresses.ts';
import { traceSettings } from '../../config/load-settings.ts';
import { ADDRESS_SETTINGS } from '../../config/settings.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readSettings } from '../../terminal/options.ts';

const LAST = { kind: 'server-address', id: 'last' } as const;

/** Remembers in the store where its clients reach the server: commands print URLs for devices, and need not be told. */
export async function noteAddress(
  store: Pick<RecordStore, 'read' | 'write'>,
  url: string,
): Promise<void> {
  const found = await store.read(LAST.kind, LAST.id);
  if (found && addressIn(found.value) === url) return;
  const record = { ...LAST, revision: found?.revision ?? 0, value: { url } };
  await store.write({ administrative: [record], audit: [] });
}

/**
 * The address of the service in URLs that a command prints: as the settings say; else where the last server on this store was reached;
 * else where `serve` would be.
 */
export async function addressOfService(
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  store: Pick<RecordStore, 'read'> | undefined,
): Promise<string> {
  const settings = readSettings(ADDRESS_SETTINGS, options, io);
  if (store === undefined || isChosen(io, options)) return baseUrlFrom(settings);
  const found = await store.read(LAST.kind, LAST.id);
  return (found && addressIn(found.value)) ?? baseUrlFrom(settings);
}

/** True when the command, the environment or the configuration file says something about the address. */
function isChosen(io: CliIo, options: Readonly<Record<string, unknown>>): boolean {
  const configFile = options['config'] as string | undefined;
  const sources = { flags: options, environment: io.env, configFile };
  return traceSettings(sources, ADDRESS_SETTINGS).settings.some(
    ({ source }) => source !== 'default',
  );
}

function addressIn(value: unknown): string | undefined {
  const { url } = value as { readonly url?: unknown };
  return typeof url === 'string' ? url : undefined;
}
