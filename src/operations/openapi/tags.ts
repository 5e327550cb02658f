/** What the operations of each tag are about, in the order in which a reader needs them. */
const TAGS: Readonly<Record<string, string>> = {
  'Scans by own software': 'The endpoints of a gate for own software, with an API key in a header.',
  'Devices at the gate':
    'The endpoints of a gate for turnstiles and readers, with an API key in the address.',
  'Sign-in': 'Sessions of the page in a browser.',
  Accounts: 'People who may sign in, and their roles.',
  'Access tokens': 'Credentials of scripts for this interface.',
  Phones: 'Phones that scan for an account.',
  Organisation: 'The organisation: its name, time zone, limits and sheets.',
  Events: 'What tickets are for.',
  Tickets: 'Tickets of the events: create, import, look up, change, cancel and export.',
  Keys: 'API keys of devices and of own software.',
  Devices: 'Devices that have called, with their last contact.',
  Sites:
    'Servers at venues that decide scans of events while the line is cut, and what they ask of their centre.',
  Scans: 'Scans by the page, with an account in place of a key.',
  'Scan log': 'Every answered scan, also as they come.',
  Statistics: 'Admissions and refusals over time.',
  Webhooks: 'Addresses that are told of scans.',
  'Audit log': 'Every administrative change, with its author.',
  Server: 'The state of this server.',
};

interface Tagged {
  readonly tags?: readonly string[];
}

/** The tags of these operations with their descriptions. @throws Error for one that has none */
export function tagsOf(
  paths: Readonly<Record<string, Readonly<Record<string, Tagged>>>>,
): { readonly name: string; readonly description: string }[] {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const used = new Set(operations.flatMap(({ tags = [] }) => tags));
  const unknown = [...used].find((tag) => TAGS[tag] === undefined);
  if (unknown !== undefined) throw new Error(`The tag "${unknown}" has no description.`);
  return Object.entries(TAGS).flatMap(([name, description]) =>
    used.has(name) ? [{ name, description }] : [],
  );
}
