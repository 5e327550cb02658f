import type { IntegrationType } from '../../../core/api-key.ts';

const FOR_ALL = [
  'Keep it on your server: never in a web page, an app that others have, or a repository.',
  'Use a separate key for each site or event, and send it over HTTPS only.',
  'Rotate it from time to time: ticketscan keys rotate gives it a new value while the old one stays valid.',
  'When others may know a key, delete it and create a new one.',
];

const FOR_DEVICES = [
  'Enter the URLs on the device only: they contain the key.',
  'Set Wait Time on the device to 30 (3 s), on unstable networks to 50 (5 s).',
];

/** How to keep a key safe (section 5.6), a sentence a line; for hardware also how to set the device (section 7.3). */
export function keyCare(type?: IntegrationType): readonly string[] {
  return type === 'api' ? FOR_ALL : [...FOR_ALL, ...FOR_DEVICES];
}
