'use strict';

// Every entry of the package loads this first. It runs on any Node, however old, so it uses old syntax only.
// ticketscan needs what node:sqlite has from these versions on (copying a store that is in use), and undici needs them too.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || major === 23 || (major === 22 && minor < 19)) {
  const error = new Error(
    `ticketscan needs Node 24 or newer, or Node 22 from 22.19 on; this is ${process.version}.`,
  );
  // The stack would lead into ticketscan, where nothing is wrong.
  error.stack = `Error: ${error.message}`;
  throw error;
}
