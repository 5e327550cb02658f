import { Command } from 'commander';
import { isoTime } from '../../../core/clock.ts';
import { inZone, machineZone, shownTime } from '../../../core/time-zone.ts';
import { zoneOf } from '../../../operations/zone.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { addSettings, readSettings } from '../../../terminal/setting-options.ts';
import { showTable } from '../../../terminal/table.ts';
import type { StoreInfo } from '../../stores/store.ts';
import { SECTIONS } from '../../stores/transfer/records.ts';
import { adviceOnOpenFiles, requireExistingStore } from '../access/existing-store.ts';
import { STORE_SETTINGS, type StoreAccess, withStore } from '../access/store-access.ts';

/** `ticketscan store info`: what a store is and holds. */
export function infoCommand(io: CliIo): Command {
  const info = new Command('info')
    .description('Show engine, format, size, counts and the last scan of a store.')
    .option('--json', 'a JSON object')
    .action(async (options: { json?: boolean }) => {
      const url = readSettings(STORE_SETTINGS, { ...options }, io).store;
      requireExistingStore(url);
      const show = async ({ store }: StoreAccess) => {
        const found = await store.info();
        if (options.json) io.out(JSON.stringify(asJson(found), null, 2));
        // A store of an older format is shown as well as it can be read.
        else showTable(io, ['', ''], asRows(found, await zoneOf(store).catch(machineZone)));
        const open = adviceOnOpenFiles(url);
        if (open) io.err(`${open.finding} ${open.advice}`);
      };
      await withStore(io, { ...options }, show, { keepFormat: true });
    });
  return addSettings(info, STORE_SETTINGS);
}

function asJson(info: StoreInfo): Record<string, unknown> {
  const { format, lastScanAt, ...others } = info;
  return { ...others, formatVersion: format.version, lastScanAt: isoTime(lastScanAt) };
}

function asRows(info: StoreInfo, zone: string): string[][] {
  const { engine, format, counts, bytes, lastScanAt, details } = info;
  return [
    ['engine', engine],
    ['format', String(format.version)],
    ['size', bytes === null ? 'unknown' : `${megabytes(bytes)} MB`],
    ['last scan', lastScanAt === null ? 'none' : inZone(shownTime(lastScanAt, zone), zone)],
    ...SECTIONS.map((section) => [section, counts[section].toLocaleString('en')]),
    ...Object.entries(details).map(([name, value]) => [inWords(name), String(value)]),
  ];
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

/** `walBytes` is for machines, `wal bytes` for people. */
function inWords(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
}
