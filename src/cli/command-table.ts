import type { CliIo } from '../terminal/io.ts';
import type { AnyCommand } from '../terminal/options.ts';

export interface CommandEntry {
  readonly name: string;
  /** One line for `ticketscan --help`. */
  readonly summary: string;
  readonly load: () => Promise<{ command(io: CliIo): AnyCommand }>;
}

/** Every command, in the order in which `ticketscan --help` shows them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'show everything at work: sample data, a server, a turnstile that reads a ticket',
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'serve',
    summary: 'serve the scan API',
    load: () => import('../serve/commands.ts'),
  },
  {
    name: 'health',
    summary: 'whether the service on this machine is ready',
    load: () => import('./commands/health.ts'),
  },
  {
    name: 'seed',
    summary: 'create sample data in every state',
    load: () => import('../features/seed/commands.ts'),
  },
  { name: 'keys', summary: 'API keys', load: () => import('../features/keys/commands.ts') },
  { name: 'events', summary: 'events', load: () => import('../features/events/commands.ts') },
  {
    name: 'organisations',
    summary: 'organisations and their limits',
    load: () => import('../features/organisations/commands.ts'),
  },
  {
    name: 'accounts',
    summary: 'manage who can sign in to the dashboard',
    load: () => import('../features/accounts/commands.ts'),
  },
  {
    name: 'tickets',
    summary: 'list, show, cancel, import and export tickets',
    load: () => import('../features/tickets/commands.ts'),
  },
  { name: 'log', summary: 'the scan log', load: () => import('../features/log/commands.ts') },
  {
    name: 'stats',
    summary: 'how many were admitted and denied, by day, hour, event, gate or ticket type',
    load: () => import('../features/statistics/commands.ts'),
  },
  {
    name: 'scan',
    summary: 'check one ticket at a running service, or take a use of it',
    load: () => import('../client/commands/scan.ts'),
  },
  {
    name: 'webhooks',
    summary: 'send what happens at the gates to other software',
    load: () => import('../features/webhooks/commands.ts'),
  },
  {
    name: 'explain',
    summary: 'explain why a code is or is not admitted, rule by rule',
    load: () => import('../features/explain/commands.ts'),
  },
  {
    name: 'mint',
    summary: 'create signed tickets and their QR codes',
    load: () => import('../tickets/commands/mint.ts'),
  },
  {
    name: 'decode',
    summary: 'read QR codes from images and verify them',
    load: () => import('../tickets/commands/decode.ts'),
  },
  {
    name: 'signing-keys',
    summary: 'the keys that sign ticket codes',
    load: () => import('../features/signing-keys/commands.ts'),
  },
  {
    name: 'device-files',
    summary: 'check descriptions of turnstiles and readers',
    load: () => import('../features/devices/commands.ts'),
  },
  {
    name: 'simulate',
    summary: 'simulate devices at a gate: one, or thousands under load',
    load: () => import('../simulate/commands/simulate.ts'),
  },
  {
    name: 'record',
    summary: 'record the traffic between a device and a service; show a recording, send it again',
    load: () => import('../record/commands/record.ts'),
  },
  {
    name: 'check',
    summary: 'check a deployment against the specification',
    load: () => import('../check/commands/check.ts'),
  },
  {
    name: 'store',
    summary: 'describe, copy, back up, restore and migrate stores',
    load: () => import('../features/store/commands.ts'),
  },
  {
    name: 'privacy',
    summary: 'erase the names of guests',
    load: () => import('../features/privacy/commands.ts'),
  },
  {
    name: 'audit',
    summary: 'prove that counters equal the log',
    load: () => import('../features/store/audit-command.ts'),
  },
  {
    name: 'service',
    summary: 'run the server as a service of this machine (systemd)',
    load: () => import('../features/service/commands.ts'),
  },
  {
    name: 'doctor',
    summary: 'check everything that a working gate needs',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'config',
    summary: 'show every setting, its value and where it comes from',
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'completion',
    summary: 'write the script that completes commands and options in your shell',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'version',
    summary: 'show the version; with --json also of Node, SQLite, and how it was installed',
    load: () => import('./commands/version.ts'),
  },
];
