import type { Command } from 'commander';
import type { CliIo } from './io.ts';

export interface CommandEntry {
  readonly name: string;
  /** One line for `ticketscan --help`. */
  readonly summary: string;
  readonly load: () => Promise<{ command(io: CliIo): Command }>;
}

/** Every command, in the order in which `ticketscan --help` shows them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'see it work: sample data, a server, a turnstile that reads a ticket',
    load: () => import('./commands/demo.ts'),
  },
  { name: 'serve', summary: 'serve the scan API', load: () => import('./commands/serve.ts') },
  {
    name: 'seed',
    summary: 'create sample data in every state',
    load: () => import('./commands/seed.ts'),
  },
  { name: 'keys', summary: 'API keys', load: () => import('./commands/keys.ts') },
  { name: 'events', summary: 'events', load: () => import('./commands/events.ts') },
  {
    name: 'organisations',
    summary: 'organisations and their limits',
    load: () => import('./commands/organisations.ts'),
  },
  {
    name: 'accounts',
    summary: 'who may sign in to the dashboard',
    load: () => import('./commands/accounts.ts'),
  },
  {
    name: 'tickets',
    summary: 'list, show, cancel, import and export tickets',
    load: () => import('./commands/tickets.ts'),
  },
  { name: 'log', summary: 'the scan log', load: () => import('./commands/log.ts') },
  {
    name: 'scan',
    summary: 'check one ticket at a running service, or take a use of it',
    load: () => import('./commands/scan.ts'),
  },
  {
    name: 'explain',
    summary: 'why a code is or is not let in, rule by rule',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'mint',
    summary: 'create signed tickets and their QR codes',
    load: () => import('./commands/mint.ts'),
  },
  {
    name: 'decode',
    summary: 'read QR codes from images and verify them',
    load: () => import('./commands/decode.ts'),
  },
  {
    name: 'signing-keys',
    summary: 'the keys that sign ticket codes',
    load: () => import('./commands/signing-keys.ts'),
  },
  {
    name: 'simulate',
    summary: 'play devices at a gate: one, or thousands in a rush',
    load: () => import('./commands/simulate.ts'),
  },
  {
    name: 'record',
    summary: 'stand between a device and a service, and write down what they say',
    load: () => import('./commands/record.ts'),
  },
  {
    name: 'replay',
    summary: 'send a recording to a server again and compare the answers',
    load: () => import('./commands/replay.ts'),
  },
  {
    name: 'check',
    summary: 'check a deployment against the specification',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'store',
    summary: 'describe, copy, back up and migrate stores',
    load: () => import('./commands/store.ts'),
  },
  {
    name: 'audit',
    summary: 'prove that counters equal the log',
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'doctor',
    summary: 'look at everything that a working gate needs',
    load: () => import('./commands/doctor.ts'),
  },
];
