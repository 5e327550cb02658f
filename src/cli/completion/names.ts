import type { NamedKind, NamedRecord } from '../../service/stores/read-names.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readSettings } from '../../terminal/setting-options.ts';
import type { Candidate } from './completion.ts';

/** A shell that waits longer feels broken. */
const MS_MAX = 1500;

/**
 * Ids and names of records in the store or server that options, environment and configuration file name, as any other command finds it.
 * Empty when they cannot be read at once: a completion never fails and never writes.
 */
export async function namesFor(
  kind: NamedKind,
  given: Readonly<Record<string, string>>,
  io: CliIo,
): Promise<Candidate[]> {
  try {
    const records = await Promise.race([recordsOf(kind, given, io), tooLate()]);
    return records.flatMap(({ id, name }) => [
      { value: name, about: id },
      { value: id, about: name },
    ]);
  } catch {
    return [];
  }
}

async function recordsOf(
  kind: NamedKind,
  given: Readonly<Record<string, string>>,
  io: CliIo,
): Promise<readonly NamedRecord[]> {
  const { store, url } = readSettings(['store', 'url'], given, io);
  const isRemote = url !== undefined && given['store'] === undefined;
  if (!isRemote) {
    const { readNames } = await import('../../service/stores/read-names.ts');
    return readNames(store, kind, MS_MAX);
  }
  const { withData } = await import('../../service/commands/access/data-access.ts');
  return withData<readonly NamedRecord[]>(io, given, ({ store: remote }) => {
    if (kind === 'organisation') return remote.listOrganisations();
    return kind === 'event' ? remote.listEvents() : remote.listKeys();
  });
}

function tooLate(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error('too late')), MS_MAX).unref();
  });
}
