'use strict';

// Every entry of the package loads this first. Old Nodes have to run it, so it uses old syntax only.
// Before these versions node:sqlite refuses the numbered parameters of a statement (`?1`).
const [major, minor] = process.versions.node.split('.').map(Number);
const isSupported = major > 24 || (major === 24 && minor >= 7) || (major === 22 && minor >= 20);

if (!isSupported) {
  const error = new Error(
    `ticketscan needs Node 24.7 or newer, or Node 22 from 22.20 on; this is ${process.version}.`,
  );
  // The stack would lead into ticketscan, where nothing is wrong.
  error.stack = `Error: ${error.message}`;
  throw error;
}
