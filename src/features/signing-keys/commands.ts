import { realpathSync } from 'node:fs';
import { Option } from '@commander-js/extra-typings';
import {
  exportPublicKeys,
  newStoredKey,
  readKeyring,
  readStoredKeys,
  type StoredSigningKey,
  writeStoredKeys,
} from '../../config/keyring-file.ts';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { machineZone } from '../../core/machine-zone.ts';
import { CODE_FORMATS } from '../../core/ticket-code.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { writePublicResult } from '../../kit/result-files.ts';
import { counted } from '../../kit/text.ts';
import { whileLocked } from '../../stores/file-lock.ts';
import { removeLeftBehind } from '../../stores/replaced-files.ts';
import { commandGroup, plainCommand } from '../../terminal/command.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { FORCE, readSettings } from '../../terminal/options.ts';
import { confirm } from '../../terminal/prompts.ts';
import { showRecords } from '../../terminal/results.ts';
import { fileError } from '../../tickets/files.ts';
import { auditEntryOf, COMMAND_LINE } from '../actor.ts';
import { withStore } from '../data-access.ts';
import { keyringPath, STORE_SETTINGS, storeExists } from '../store/opening.ts';

const EXAMPLES = `
Examples:
  ticketscan signing-keys list
  ticketscan signing-keys rotate --format TS1
  ticketscan signing-keys retire sig_0123456789
  ticketscan signing-keys reinstate sig_0123456789
  ticketscan signing-keys export-public --out public-keys.json

After a rotation the new key signs new tickets; tickets of the old key stay valid until it is retired.
A running server applies a change of its keyring file within seconds.`;

/** `ticketscan signing-keys`: the keys that make ticket codes genuine. */
export function command(io: CliIo) {
  return commandGroup(io, 'signing-keys', {
    summary: 'List, rotate, retire, reinstate and export the keys that sign ticket codes.',
    help: EXAMPLES,
    commands: [listCommand, rotateCommand, retireCommand, reinstateCommand, exportCommand],
  });
}

const KEY = ['<signing-key>', 'id of the key'] as const;
const shared = { settings: STORE_SETTINGS, json: 'a JSON array' } as const;

const listCommand = plainCommand({
  ...shared,
  name: 'list',
  summary: 'List the signing keys; their secrets are never shown.',
  run: (io, options) => showKeys(io, readStoredKeys(pathFrom(io, options)), options.json),
});

const rotateCommand = plainCommand({
  ...shared,
  name: 'rotate',
  summary: 'Create a new active key; the previous key then only verifies.',
  options: (command) =>
    command.addOption(
      new Option('--format <format>', 'format of the codes that it signs (default: both)').choices(
        CODE_FORMATS,
      ),
    ),
  run: (io, options) => {
    const formats = options.format === undefined ? CODE_FORMATS : [options.format];
    const keys = changeKeys(pathFrom(io, options), (before) => {
      const older = before.map((key) =>
        key.state === 'active' && formats.includes(key.format)
          ? { ...key, state: 'verify-only' as const }
          : key,
      );
      return [...older, ...formats.map(newStoredKey)];
    });
    showKeys(io, keys, options.json);
    io.err('The new key signs new tickets. Running servers use it within seconds.');
  },
});

const retireCommand = plainCommand({
  ...shared,
  name: 'retire',
  summary: 'Retire a key: every ticket that it signed is refused from now on.',
  argument: KEY,
  yes: 'retire it without a question; needed where no terminal can ask',
  run: async (io, options, id) => {
    const path = pathFrom(io, options);
    refuseRetiring(id, readStoredKeys(path));
    const consequence = `Every ticket that ${id} signed will be refused, until the key is reinstated.`;
    if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
    const keys = changeKeys(path, (before) => {
      refuseRetiring(id, before);
      return before.map((key) => (key.id === id ? { ...key, state: 'retired' as const } : key));
    });
    showKeys(io, keys, options.json);
    note(io, `Tickets signed by ${id} are refused from now on, by running servers within seconds.`);
  },
});

const reinstateCommand = plainCommand({
  ...shared,
  name: 'reinstate',
  summary: 'Undo retire: tickets that the key signed are verified again.',
  argument: KEY,
  run: async (io, options, id) => {
    const keys = changeKeys(pathFrom(io, options), (before) => {
      const key = knownKey(id, before);
      if (key.state !== 'retired') {
        throw new TicketscanError('usage', `${id} is not retired: it is ${key.state}.`);
      }
      return before.map((one) => (one.id === id ? { ...one, state: 'verify-only' } : one));
    });
    await noteInAuditLog(io, id, options);
    showKeys(io, keys, options.json);
    note(
      io,
      `Tickets signed by ${id} are verified again, by running servers within seconds. It signs no new ones. Which ticket was signed by ` +
        'which key is in the codes only, so how many these are is not known.',
    );
  },
});

type Options = Readonly<Record<string, unknown>>;

/** A JSON store that a server has open cannot be written here; the keyring is changed all the same. */
async function noteInAuditLog(io: CliIo, id: string, options: Options): Promise<void> {
  const { store: url } = readSettings(STORE_SETTINGS, options, io);
  if (!storeExists(url)) return;
  const change = { act: 'signing-key.reinstate', subject: id, organisationId: null };
  try {
    await withStore(io, options, ({ local: { store, clock } }) =>
      store.write({ audit: [auditEntryOf(COMMAND_LINE, clock, change)] }),
    );
  } catch (error) {
    io.err(`This is not in the audit log of the store: ${messageOf(error)}`);
  }
}

const exportCommand = plainCommand({
  name: 'export-public',
  summary: 'Write the public keys that gates need to verify TS2 codes offline.',
  options: (command) =>
    command
      .option('--out <file>', 'write them there instead of to stdout')
      .option(...FORCE)
      .option('--pem', 'PEM instead of JSON'),
  settings: STORE_SETTINGS,
  run: (io, options) => {
    const exported = exportPublicKeys(readKeyring(pathFrom(io, options)));
    const text = options.pem
      ? exported.keys.map(({ publicKey }) => publicKey).join('')
      : `${JSON.stringify(exported, null, 2)}\n`;
    if (options.out === undefined) {
      io.stdout.write(text);
      return;
    }
    writePublic(options.out, text, options.force);
    const keys = counted(exported.keys.length, 'public key');
    note(io, `Wrote ${keys} to ${options.out}. Public keys are not secret.`);
  },
});

function writePublic(path: string, text: string, force: boolean | undefined): void {
  try {
    writePublicResult(path, text, { force });
  } catch (error) {
    throw fileError(path, error);
  }
}

/**
 * Replaces the keys of a keyring by what `change` makes of them, while no other command does the same.
 * @throws TicketscanError `keyring`, as `whileLocked` does, and what `change` throws
 */
function changeKeys(
  path: string,
  change: (keys: readonly StoredSigningKey[]) => StoredSigningKey[],
): StoredSigningKey[] {
  // An unreadable keyring is reported before any file is written beside it.
  readStoredKeys(path);
  // A link stays a link, and one keyring has one lock, whatever it is called.
  const file = realpathSync(path);
  return whileLocked(file, () => {
    // Secret keys that a killed change left.
    removeLeftBehind(file);
    const keys = change(readStoredKeys(file));
    writeStoredKeys(file, keys);
    return keys;
  });
}

/** @throws TicketscanError `not_found`, or `usage` for a key that is still needed */
function refuseRetiring(id: string, keys: readonly StoredSigningKey[]): void {
  const key = knownKey(id, keys);
  if (key.state === 'active') {
    throw new TicketscanError(
      'usage',
      `${id} signs new tickets. Create its successor first: ticketscan signing-keys rotate --format ${key.format}`,
    );
  }
}

function knownKey(id: string, keys: readonly StoredSigningKey[]): StoredSigningKey {
  const key = keys.find((one) => one.id === id);
  if (key) return key;
  const ids = keys.map((one) => one.id);
  throw new TicketscanError(
    'not_found',
    `Unknown signing key "${id}".${didYouMean(id, ids)} Known keys: ${ids.join(', ')}.`,
  );
}

function pathFrom(io: CliIo, options: Options): string {
  const settings = readSettings(STORE_SETTINGS, options, io);
  const path = keyringPath(settings.store, settings.keyring);
  if (path !== undefined) return path;
  throw new TicketscanError(
    'usage',
    'A store in memory has no keyring file; name one (--keyring).',
  );
}

function showKeys(io: CliIo, keys: readonly StoredSigningKey[], json: boolean | undefined): void {
  // A keyring belongs to no organisation.
  const zone = machineZone();
  const shown = keys.map(({ id, format, state, createdAt }) => ({ id, format, state, createdAt }));
  showRecords(io, { json }, shown, {
    empty: 'No signing keys.',
    heads: ['ID', 'FORMAT', 'STATE', inZone('CREATED', zone)],
    row: ({ id, format, state, createdAt }) => [id, format, state, shownTime(createdAt, zone)],
  });
}
