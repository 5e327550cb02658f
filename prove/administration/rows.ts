import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { selfSignedPaths } from '../../src/config/addresses.ts';
import { selfSigned } from '../../src/serve/certificate.ts';
import {
  type AnyEngine,
  copySite,
  type Site,
  seedSite,
  useTickets,
  writeTicketList,
} from './site.ts';
import type { StoreState } from './state.ts';

/** One command that is stopped at each of its steps. */
export interface Command {
  readonly args: readonly string[];
  /** What goes on after it was stopped, or begins it again; itself where not given. */
  readonly again?: readonly string[];
  /** True for a state between before and after that goes on; without it there must be none. */
  readonly isBetween?: (state: StoreState) => boolean;
  /** Codes that are genuine when it is done; those of the site where not given. */
  readonly codesAfter?: readonly string[];
  /** True where the keyring is all that it changes. */
  readonly isOfKeys?: true;
  /** What no file may hold when it is done, even where that takes it a second time. */
  readonly erased?: string;
}

export interface Row {
  readonly name: string;
  readonly engines: readonly AnyEngine[];
  /** True when there is no store before it, only a keyring. */
  readonly isNew?: true;
  /** Makes what is before. @param base a SQLite store, to be left as it is */
  readonly prepare: (site: Site, base: Site) => Promise<Command>;
}

const FILES = ['sqlite', 'json'] as const;
const ALL = ['sqlite', 'json', 'postgres'] as const;
/** A keyring is a file beside any store. */
const ANY = ['sqlite'] as const;

/** More than one batch of an import. */
const IMPORTED = 2100;
const BATCH = 1000;
/** More than one page of a copy. */
const COPIED = 5100;

export const ROWS: readonly Row[] = [
  {
    name: 'store restore, plain',
    engines: FILES,
    async prepare(site) {
      const backup = join(site.outside, 'backup');
      if (site.url.startsWith('json')) copyDocument(site.url, backup);
      else await site.run('store', 'backup', backup);
      await site.run('tickets', 'cancel', idOf(site.codes[0]));
      return { args: ['store', 'restore', backup, '--yes'] };
    },
  },
  {
    name: 'store restore, encrypted, of another keyring',
    engines: FILES,
    async prepare(site) {
      const engine = site.url.startsWith('json') ? 'json' : 'sqlite';
      const other = await seedSite(site.outside, engine);
      const names = { needed: [['localhost']], findMore: async () => [] };
      await selfSigned(names, selfSignedPaths(other.place.folder));
      const identity = await generateX25519Identity();
      const file = join(site.outside, 'identity.txt');
      const backup = join(site.outside, 'backup.age');
      writeFileSync(file, identity, { mode: 0o600 });
      await other.run(
        'store',
        'backup',
        backup,
        '--recipient',
        await identityToRecipient(identity),
      );
      return {
        args: ['store', 'restore', backup, '--identity', file, '--yes'],
        codesAfter: other.codes,
      };
    },
  },
  {
    name: 'events delete --with-tickets',
    engines: ALL,
    prepare: async () => ({
      args: ['events', 'delete', 'Summer pool', '--with-tickets', '--yes'],
      isBetween: ({ records }) => records.administrative.some(({ kind }) => kind === 'deletion'),
    }),
  },
  {
    name: 'signing-keys rotate',
    engines: ANY,
    prepare: async () => ({ args: ['signing-keys', 'rotate'], isOfKeys: true }),
  },
  {
    name: 'signing-keys retire',
    engines: ANY,
    async prepare(site) {
      const [old] = await site.json<{ id: string }[]>('signing-keys', 'list');
      await site.run('signing-keys', 'rotate');
      return {
        args: ['signing-keys', 'retire', old?.id ?? '', '--yes'],
        codesAfter: site.codes.filter((code) => !code.startsWith('TS1')),
        isOfKeys: true,
      };
    },
  },
  {
    name: 'tickets import',
    engines: ALL,
    async prepare(site) {
      const list = await writeTicketList(site, IMPORTED);
      const args = ['tickets', 'import', list];
      return { args, again: [...args, '--skip-existing'], isBetween: isPartOfImport };
    },
  },
  {
    name: 'privacy erase',
    engines: ALL,
    async prepare(site) {
      const [ticket] = (
        await site.json<{ ticketId: string; holder: { lastName: string } | null }[]>(
          'tickets',
          'list',
        )
      ).filter(({ holder }) => holder);
      await site.run('tickets', 'edit', ticket?.ticketId ?? '', '--last-name', 'Zyxwvutsrq');
      return { args: ['privacy', 'erase', ticket?.ticketId ?? '', '--yes'], erased: 'Zyxwvutsrq' };
    },
  },
  {
    name: 'store copy',
    engines: ALL,
    isNew: true,
    async prepare(site, base) {
      const source = await copySite(base, 'sqlite');
      await source.run('tickets', 'import', await writeTicketList(source, COPIED));
      await useTickets(source.url, isListed);
      return {
        args: ['store', 'copy', source.url, site.url],
        isBetween: ({ is, records }) => is === 'incomplete' || records.organisations.length === 0,
      };
    },
  },
];

/** A document with its database is a backup too. */
function copyDocument(url: string, backup: string): void {
  for (const end of ['', '.db']) cpSync(`${url.replace('json:', '')}${end}`, `${backup}${end}`);
}

/** Whole batches, each with its audit entry. */
function isPartOfImport({ records }: StoreState): boolean {
  const imported = records.tickets.filter(({ id }) => isListed(id)).length;
  const counts = records.auditLog
    .filter(({ act }) => act === 'ticket.import')
    .map(({ details }) => Number(details?.['count']));
  const counted = counts.reduce((sum, count) => sum + count, 0);
  return imported > 0 && imported % BATCH === 0 && counted === imported;
}

function isListed(ticketId: string): boolean {
  return ticketId.includes('_0000000000');
}

function idOf(code = ''): string {
  return code.split('.')[1] ?? '';
}
