import type { Command } from 'commander';

/**
 * An example for each command whose page has none of its own. After `seed` they work one after another, from the first to the
 * last, in the folder of the store.
 */
export const EXAMPLES: Readonly<Record<string, string>> = {
  'organisations list': 'ticketscan organisations list',
  'organisations create': 'ticketscan organisations create --name "Lido AG" --rate 200 --burst 400',
  'organisations edit':
    'ticketscan organisations edit "Lido AG" --name "Lido GmbH" --time-zone Europe/Berlin',
  'organisations delete': 'ticketscan organisations delete "Lido GmbH" --yes',
  'events create': 'ticketscan events create --name "Sauna"',
  'events edit': 'ticketscan events edit "Sauna" --name "Ice rink"',
  'events list': 'ticketscan events list --archived',
  'events reset-inside': 'ticketscan events reset-inside "Ice rink"',
  'events archive': 'ticketscan events archive "Ice rink"',
  'events unarchive': 'ticketscan events unarchive "Ice rink"',
  'sites create': 'ticketscan sites create --name "Pool North"',
  'sites list': 'ticketscan sites list',
  'events move': 'ticketscan events move "Ice rink" --to "Pool North"',
  'sites show': 'ticketscan sites show "Pool North"',
  'sites retire': 'ticketscan sites retire "Pool North" --yes',
  'sites free': 'ticketscan sites free "Pool North" --yes',
  'sites status': 'ticketscan sites status',
  'keys create': 'ticketscan keys create --name "Side gate" --type hardware --events all',
  'keys list': 'ticketscan keys list',
  'keys edit': 'ticketscan keys edit "Side gate" --readers 0=in,1=out --on-exit open',
  'keys rotate': 'ticketscan keys rotate "Side gate" --overlap 24h',
  'keys disable': 'ticketscan keys disable "Side gate"',
  'keys enable': 'ticketscan keys enable "Side gate"',
  'keys name-device': 'ticketscan keys name-device "Side gate" --serial TOR2 --name "North gate"',
  'keys delete': 'ticketscan keys delete "Side gate"',
  'accounts create':
    'ticketscan accounts create --name gate --role scanner --events "Summer pool" --password env:GATE_PASSWORD',
  'accounts list': 'ticketscan accounts list',
  'accounts edit': 'ticketscan accounts edit gate --role viewer',
  'accounts password': 'ticketscan accounts password gate --password env:GATE_PASSWORD',
  'accounts delete': 'ticketscan accounts delete gate',
  'accounts tokens list': 'ticketscan accounts tokens list',
  'accounts tokens revoke': 'ticketscan accounts tokens revoke pat_4k2m9x0q1z',
  'tickets list': 'ticketscan tickets list --state valid --limit 20',
  'tickets show': 'ticketscan tickets show tkt_ab12cd_0123456789abcdefghij',
  'tickets export': 'ticketscan tickets export --out tickets.csv',
  'tickets revoke-list': 'ticketscan tickets revoke-list --out revoked.txt',
  'webhooks create':
    'ticketscan webhooks create --name ERP --endpoint https://erp.example.org/scans',
  'webhooks list': 'ticketscan webhooks list',
  'webhooks test': 'ticketscan webhooks test ERP',
  'webhooks deliveries': 'ticketscan webhooks deliveries ERP',
  'webhooks edit': 'ticketscan webhooks edit ERP --disable',
  'webhooks delete': 'ticketscan webhooks delete ERP',
  'signing-keys list': 'ticketscan signing-keys list',
  'signing-keys rotate': 'ticketscan signing-keys rotate --format TS1',
  'signing-keys retire': 'ticketscan signing-keys retire sig_0123456789 --yes',
  'signing-keys reinstate': 'ticketscan signing-keys reinstate sig_0123456789',
  'signing-keys export-public': 'ticketscan signing-keys export-public --out public-keys.json',
  'device-files check': 'ticketscan device-files check gatex.yaml',
  'check init': 'ticketscan check init --out my-target.json',
  'store info': 'ticketscan store info',
  'store migrate': 'ticketscan store migrate',
  'privacy clean': 'ticketscan privacy clean',
  'service install': 'ticketscan service install --dry-run',
  'service status': 'ticketscan service status',
  'service uninstall': 'ticketscan service uninstall --dry-run',
  'config show': 'ticketscan config show',
};

/** Gives each command in the table its example. @param path the names of the command and those above it */
export function addExamples(command: Command, path: string): void {
  const example = EXAMPLES[path];
  if (example !== undefined) command.addHelpText('after', `\nExample:\n  ${example}`);
  for (const child of command.commands) addExamples(child, `${path} ${child.name()}`);
}
