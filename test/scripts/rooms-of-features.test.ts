import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Every feature has the same rooms, so that whoever knows one finds their way in all: what can be asked of it (`operations`), what holds
 * whoever asks (`rules`), its commands, and the routes of files and streams. Commands and routes that are too long for a file are a folder.
 */
const ROOMS = /^(?:operations|rules|commands|routes)[.]ts$|^(?:commands|routes)[/][^/]+[.]ts$/;

/** The longest file (`scripts/check-code.ts`). */
const LINES_MAX = 400;

/** What all features use, each with its reason. */
const OF_ALL: Readonly<Record<string, string>> = {
  'actor.ts': 'Who changes something, the audit entry of the change, and what rules work with.',
  'administration.ts': 'The rules of organisations, events and keys together, for one author.',
  'all.ts': 'The list of all operations.',
  'context.ts': 'What operations work with.',
  'data-access.ts': 'The way of a command to data.',
  'data-command.ts': 'Makes the commands that work on data.',
  'record-checks.ts': 'Names and limits of records, of whatever kind.',
  'scope.ts': 'The objects that a caller may reach.',
  'typed-records.ts': 'Reads administrative records with the values of their kinds.',
  'sheet-words.ts': 'The words of files for people: tickets, log and statistics have the same.',
  'time-zone.ts': 'The zone in which a command reads and shows times.',
};

/** Files of a feature that are a subject of their own, each with its reason. */
const SUBJECTS: Readonly<Record<string, string>> = {
  'accounts/access.ts': 'Who is signed in: sessions, their ends, and what a request may do.',
  'accounts/access-tokens.ts': 'Tokens of scripts, and the watch over their ends.',
  'accounts/account-records.ts':
    'The administrative records of accounts, sessions and tokens, which deletions of organisations read too.',
  'accounts/cookies.ts': 'What browsers keep.',
  'accounts/guard.ts': 'Refuses requests before any operation runs.',
  'accounts/passwords.ts': 'Hashes of passwords, and what they cost.',
  'accounts/throttle.ts': 'Slows down guesses, of whatever credential.',
  'devices/device-names.ts': 'The names of devices, for the commands of other features.',
  'events/deletions.ts': 'Work that goes on after an answer, and over restarts.',
  'explain/explain.ts': 'The steps of a decision from its facts, also for the test bench.',
  'explain/explain-scan.ts': 'Gathers the facts of a scan from a store.',
  'explain/explanation.ts':
    'The types that `ticketscan/testing` publishes: they may bring no package along.',
  'explain/scan-facts.ts': 'What a decision depends on.',
  'keys/key-watches.ts': 'What a server watches: months and ends of keys.',
  'log/last-use.ts': 'Searches the log for a use, also for an explanation.',
  'log/live.ts': 'The stream of new entries.',
  'log/log-reader.ts': 'The one follower of the log.',
  'events/inside-now.ts': 'The people inside now: events, overview and metrics show them.',
  'organisations/guest-search.ts': 'Who may find guests by name; sessions say it too.',
  'organisations/inside-from.ts':
    'The daily reset of people inside; events and closings follow it.',
  'organisations/owners-limits.ts': 'Which limits owners may change themselves (ADR 0015).',
  'organisations/sheet-settings.ts': 'What is printed on tickets of an organisation.',
  'sites/agent.ts': 'Follows the centre of a site, in a server.',
  'sites/asked-events.ts': 'Events for which a restored centre asks its sites.',
  'sites/centre.ts': 'What a centre hears of its sites, and answers.',
  'sites/centre-client.ts': 'The line of a site to its centre.',
  'sites/held-events.ts': 'Takes, closes and forgets the events of a site.',
  'sites/last-row.ts': 'By what a site knows that another server runs with a copy of it.',
  'sites/recent-contacts.ts': 'The heartbeats that a site tells its centre.',
  'sites/records-for-sites.ts': 'What a site gets besides tickets.',
  'sites/refusals-of-sites.ts': 'What a site has refused, at its centre.',
  'sites/row-keeper.ts': 'Checks the log of a site, and takes it into that of the centre.',
  'sites/row-sender.ts': 'Sends the log of a site.',
  'sites/site-contacts.ts': 'When a centre heard of a site, and what waits there.',
  'sites/site-records.ts':
    'The administrative records of sites, which explanations and doctor read too.',
  'sites/verifying-keys.ts': 'The keys that verify codes at a site, also for commands there.',
  'sites/wire.ts': 'The messages between a site and its centre.',
  'sites/event-homes.ts':
    'Where events are decided, for the lists of other features; and the names of sites in the log.',
  'sites/in-force.ts': 'At which sites a change is in force: answers of tickets and keys say it.',
  'sites/tell-in-force.ts': 'Says in commands where a change is in force.',
  'service/install.ts': 'The unit, the user and the folders of systemd.',
  'statistics/closing.ts': 'Closes days: the counts of the store in all their parts.',
  'statistics/closing-sheet.ts': 'A closing as one table for spreadsheets.',
  'statistics/figures.ts':
    'What a sum of the store counts as, and the subjects of rows: statistics and closing have the same.',
  'statistics/gate-names.ts': 'How many gates both statistics name.',
  'statistics/inside-count.ts': 'The people inside over the day.',
  'statistics/minute-statistics.ts': 'Counts in memory that follow the log.',
  'statistics/scan-statistics.ts': 'Counts of the store as rows.',
  'store/opening.ts': 'Where a store and its keyring are, and how they are opened.',
  'store/restore-site.ts': 'Puts a backup in the place of a site, step by step.',
  'store/sealed-archive.ts': 'The format of an encrypted backup.',
  'store/staged-backup.ts': 'A backup that is read and checked before it replaces anything.',
  'tickets/list-update.ts':
    'What a list of a shop that comes again changes, for the command and the API.',
  'tickets/new-owners.ts': 'The events that an imported list needs.',
  'tickets/shop-maps.ts': 'The maps of shops that come with the program, and those of people.',
  'webhooks/deliverer.ts': 'Delivers to all endpoints, in a server.',
  'webhooks/endpoint.ts': 'Delivers to one endpoint, with its cursor and its retries.',
  'webhooks/message.ts': 'What a message tells.',
  'webhooks/network.ts': 'Which addresses may be connected to.',
  'webhooks/notices.ts': 'Notices about gates, which are kept until they are delivered.',
  'webhooks/webhook-records.ts':
    'The administrative records of webhooks and the schemas of their messages.',
};

const files = globSync('**/*.ts', { cwd: 'src/features' })
  .map((file) => file.replaceAll('\\', '/'))
  .sort();
const inFeatures = files.filter((file) => file.includes('/'));
const inFeature = (file: string) => file.slice(file.indexOf('/') + 1);

test('a file of a feature is one of its four rooms, or a subject of its own with a reason', () => {
  const others = inFeatures.filter((file) => !ROOMS.test(inFeature(file)));
  expect(others).toEqual(Object.keys(SUBJECTS).sort());
});

test('a file beside the features is for all of them, with a reason', () => {
  expect(files.filter((file) => !file.includes('/'))).toEqual(Object.keys(OF_ALL).sort());
});

const folders = [
  ...new Set(
    inFeatures.flatMap((file) => {
      const [folder] = /^[^/]+[/](?:commands|routes)(?=[/])/.exec(file) ?? [];
      return folder === undefined ? [] : [folder];
    }),
  ),
];

test.each(folders)('%s is a folder because one file would be too long', (folder) => {
  const [feature] = folder.split('/');
  expect(files).not.toContain(`${folder}.ts`);
  const own = files.filter((file) => file.startsWith(`${folder}/`));
  expect(own).toContain(`${folder}/${feature}.ts`);
  const lines = own.map((file) => readFileSync(`src/features/${file}`, 'utf8').split('\n').length);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(LINES_MAX);
});
