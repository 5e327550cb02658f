import { writeFileSync } from 'node:fs';
import {
  mintTickets,
  openKeyring,
  openPublicKeys,
  renderQr,
  TicketscanError,
  verifyCode,
} from 'ticketscan';

const { STORE, KEYRING, PUBLIC_KEYS, EVENT } = process.env;
if (!STORE || !KEYRING || !PUBLIC_KEYS || !EVENT) {
  console.error('Set STORE, KEYRING and PUBLIC_KEYS to those of the server, and EVENT to an id.');
  process.exit(2);
}
const keyring = openKeyring(KEYRING);

// The tickets are in the store when this resolves: a server on the same store admits them at once.
const [ticket] = await mintTickets({ event: EVENT, keyring, store: STORE, format: 'TS2' });
writeFileSync(`${ticket.ticketId}.png`, renderQr(ticket.code, { format: 'png', scale: 6 }));

// A gate without a network needs the public keys only.
const genuine = verifyCode(ticket.code, openPublicKeys(PUBLIC_KEYS));
console.log(`${ticket.ticketId}: ${genuine?.ticketId === ticket.ticketId ? 'genuine' : 'forged'}`);

try {
  await mintTickets({ event: 'zzzzzz', keyring, store: STORE });
} catch (error) {
  if (!(error instanceof TicketscanError)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
