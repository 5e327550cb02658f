import type { CliIo } from '../terminal/io.ts';
import type { AnyCommand } from '../terminal/options.ts';

export interface CommandEntry {
  readonly name: string;
  /** One line for `ticketscan --help`, in the words of a user. */
  readonly summary: string;
  readonly load: () => Promise<{ command(io: CliIo): AnyCommand }>;
}

/** Every command by what it is for, in the order in which `ticketscan --help` shows them. */
export const COMMAND_GROUPS: Readonly<Record<string, readonly CommandEntry[]>> = {
  Run: [
    {
      name: 'demo',
      summary: 'see everything at work: sample data, a server, a turnstile',
      load: () => import('./commands/demo.ts'),
    },
    {
      name: 'serve',
      summary: 'serve the scan API and the dashboard',
      load: () => import('../testing/commands/serve.ts'),
    },
    {
      name: 'doctor',
      summary: 'check all that a working gate needs, and say what to do',
      load: () => import('./commands/doctor.ts'),
    },
    {
      name: 'health',
      summary: 'ask whether the service on this machine is ready',
      load: () => import('./commands/health.ts'),
    },
    {
      name: 'service',
      summary: 'run the server as a service of this machine (systemd)',
      load: () => import('../features/service/commands.ts'),
    },
  ],
  'Tickets and events': [
    {
      name: 'events',
      summary: 'create and list events',
      load: () => import('../features/events/commands.ts'),
    },
    {
      name: 'keys',
      summary: 'create API keys for gates and software',
      load: () => import('../features/keys/commands/keys.ts'),
    },
    {
      name: 'mint',
      summary: 'create signed tickets and their QR codes',
      load: () => import('../features/mint/commands/mint.ts'),
    },
    {
      name: 'decode',
      summary: 'read QR codes from images and verify them',
      load: () => import('../features/mint/commands/decode.ts'),
    },
    {
      name: 'tickets',
      summary: 'list, show, cancel, import and export tickets',
      load: () => import('../features/tickets/commands/tickets.ts'),
    },
    {
      name: 'sites',
      summary: 'servers at venues that go on while the line is cut',
      load: () => import('../features/sites/commands.ts'),
    },
    {
      name: 'organisations',
      summary: 'organisations and their limits',
      load: () => import('../features/organisations/commands.ts'),
    },
  ],
  'At the gate': [
    {
      name: 'scan',
      summary: 'check one ticket, or take a use of it',
      load: () => import('../client/commands/scan.ts'),
    },
    {
      name: 'log',
      summary: 'show and follow the scan log',
      load: () => import('../features/log/commands/log.ts'),
    },
    {
      name: 'explain',
      summary: 'say why a code is admitted or not',
      load: () => import('../features/explain/commands.ts'),
    },
    {
      name: 'stats',
      summary: 'count who was admitted and denied',
      load: () => import('../features/statistics/commands/statistics.ts'),
    },
  ],
  'Test a device or a server': [
    {
      name: 'simulate',
      summary: 'simulate devices at a gate: one, or thousands',
      load: () => import('../simulate/commands/simulate.ts'),
    },
    {
      name: 'record',
      summary: 'record what a device and a service say; show and send it',
      load: () => import('../record/commands/record.ts'),
    },
    {
      name: 'check',
      summary: 'check a server, a device or your own software',
      load: () => import('../check/commands/check.ts'),
    },
    {
      name: 'seed',
      summary: 'create sample data in every state',
      load: () => import('../features/seed/commands.ts'),
    },
    {
      name: 'device-files',
      summary: 'check descriptions of turnstiles and readers',
      load: () => import('../features/devices/commands.ts'),
    },
  ],
  Operate: [
    {
      name: 'store',
      summary: 'copy, back up, restore and migrate stores',
      load: () => import('../features/store/commands/store.ts'),
    },
    {
      name: 'signing-keys',
      summary: 'rotate and export the keys that sign ticket codes',
      load: () => import('../features/signing-keys/commands.ts'),
    },
    {
      name: 'accounts',
      summary: 'manage who can sign in to the dashboard',
      load: () => import('../features/accounts/commands.ts'),
    },
    {
      name: 'webhooks',
      summary: 'send what happens at the gates to other software',
      load: () => import('../features/webhooks/commands.ts'),
    },
    {
      name: 'privacy',
      summary: 'say what is stored about guests, and erase it',
      load: () => import('../features/privacy/commands/privacy.ts'),
    },
    {
      name: 'audit',
      summary: 'prove that counters equal the log',
      load: () => import('../features/store/commands/audit.ts'),
    },
    {
      name: 'config',
      summary: 'show every setting, its value and where it comes from',
      load: () => import('./commands/config.ts'),
    },
    {
      name: 'completion',
      summary: 'complete commands and options in your shell',
      load: () => import('./commands/completion.ts'),
    },
    {
      name: 'docs',
      summary: 'show a page of the manual',
      load: () => import('./commands/docs.ts'),
    },
    { name: 'version', summary: 'show the version', load: () => import('./commands/version.ts') },
  ],
};

export const COMMANDS: readonly CommandEntry[] = Object.values(COMMAND_GROUPS).flat();
