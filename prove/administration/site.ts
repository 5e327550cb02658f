import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScanRequest } from '../../src/core/scan-requests.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { BUILT_PROGRAM, mustRun, type ProgramPlace } from '../world/program.ts';
import { newFolder, placeIn } from '../world/world.ts';
import { refusedCodes } from './state.ts';

export type AnyEngine = 'sqlite' | 'json' | 'postgres';

const KEYRING = 'ticketscan.keyring.json';
/** Memory is faster than a disk, and each image is only looked at once. */
const MEMORY = '/dev/shm';
/** How many tickets there are of each kind: enough for several steps of a deletion. */
const TICKETS_PER_KIND = 30;

/** A store with its keyring, and the codes that were given out for it. */
export class Site {
  readonly place: ProgramPlace;
  readonly keyring: string;
  readonly codes: readonly string[];
  /** A folder for files that are not of the site, such as a backup. */
  readonly outside: string;

  constructor(place: ProgramPlace, codes: readonly string[], outside: string) {
    this.place = place;
    this.keyring = join(place.folder, KEYRING);
    this.codes = codes;
    this.outside = outside;
  }

  get url(): string {
    return this.place.storeUrl;
  }

  run(...args: readonly string[]): Promise<string> {
    return mustRun(this.place, args);
  }

  async json<Value>(...args: readonly string[]): Promise<Value> {
    return JSON.parse(await this.run(...args, '--json')) as Value;
  }
}

export function newMemoryFolder(): string {
  return existsSync(MEMORY)
    ? mkdtempSync(join(MEMORY, 'ticketscan-prove-'))
    : newFolder('administration');
}

/** A sample site of its own, with its own keys. @param program that will be stopped, the built one or a copy with a bug */
export async function seedSite(
  parent: string,
  engine: 'sqlite' | 'json',
  program = BUILT_PROGRAM,
): Promise<Site> {
  const folder = mkdtempSync(join(parent, `seeded-${engine}-`));
  const built = placeIn(folder, engine);
  const seeded = await mustRun(built, ['seed', '--json', '--count', String(TICKETS_PER_KIND)]);
  const { tickets } = JSON.parse(seeded) as { tickets: Record<string, { code: string }[]> };
  const codes = Object.values(tickets)
    .flat()
    .map(({ code }) => code)
    .filter((code) => isOfKeyring(code, join(folder, KEYRING)));
  return new Site({ ...built, program }, codes, parent);
}

/** Samples of forged and unknown codes are not ours. */
function isOfKeyring(code: string, keyring: string): boolean {
  return refusedCodes(keyring, [code]).length === 0;
}

interface CopyOptions {
  /** Only with the keyring. */
  readonly isNew?: true;
  /** Where its store is, when it is not in the folder. */
  readonly url?: string;
}

/** A copy of a site for one command. */
export async function copySite(
  site: Site,
  engine: AnyEngine,
  { isNew, url }: CopyOptions = {},
): Promise<Site> {
  const outside = mkdtempSync(join(site.outside, `${engine}-`));
  const folder = join(outside, 'site');
  mkdirSync(folder);
  cpSync(site.keyring, join(folder, KEYRING));
  const place =
    engine === 'postgres'
      ? { ...site.place, folder, storeUrl: url ?? '' }
      : placeIn(folder, engine, site.place.program);
  if (isNew) return new Site(place, site.codes, outside);
  if (engine === 'sqlite') cpSync(pathOf(site.url), pathOf(place.storeUrl));
  else
    await mustRun({ ...place, program: BUILT_PROGRAM }, [
      'store',
      'copy',
      site.url,
      place.storeUrl,
    ]);
  return new Site(place, site.codes, outside);
}

function pathOf(url: string): string {
  return url.replace(/^\w+:/u, '');
}

/** Tickets of an event that nobody has yet, as a list to import. */
export async function writeTicketList(site: Site, count: number): Promise<string> {
  const exported = join(site.outside, 'exported.jsonl');
  await site.run('tickets', 'export', '--format', 'jsonl', '--out', exported);
  const sample = readFileSync(exported, 'utf8').split('\n')[0] ?? '';
  const ticketId = /tkt_[^_]+_/.exec(sample)?.[0] ?? '';
  const lines = Array.from({ length: count }, (_, index) =>
    sample.replace(/tkt_[^"]+/, `${ticketId}${String(index).padStart(20, '0')}`),
  );
  const list = join(site.outside, 'list.jsonl');
  writeFileSync(list, `${lines.join('\n')}\n`);
  return list;
}

/** Uses the tickets of a list once each, past the program: it would take minutes. */
export async function useTickets(
  url: string,
  isOfList: (ticketId: string) => boolean,
): Promise<void> {
  const store = await openStore(url);
  const key = (await store.list('key')).find(({ active, events }) => active && events === 'all');
  let afterId: string | undefined;
  for (;;) {
    const page = await store.listTickets({ limit: 1000, ...(afterId && { afterId }) });
    const requests = page
      .filter(({ id }) => isOfList(id))
      .map(
        ({ id, eventId }): ScanRequest => ({
          kind: 'scan',
          keyId: key?.id ?? '',
          operation: 'consume',
          subject: { kind: 'ticket', ticketId: id, eventId },
          now: Date.now(),
          serial: null,
          reader: null,
          retry: null,
        }),
      );
    if (requests.length > 0) await store.commitScans(requests);
    afterId = page.at(-1)?.id;
    if (afterId === undefined) break;
  }
  await store.close();
}
