import { resolve } from 'node:path';

/** The kept patches, and how many files of `src` each touches: what such a change costs. Lower a number when a change costs less; none may rise. */
export const KEPT_PATCHES: Readonly<Record<string, number>> = {
  // A row of its section, and its line in the requirement set.
  'add-check-case': 2,
  // A description, its packets and its line in the docs.
  'add-device-file': 0,
  // One of a few values: stored by every engine, set by page, API and command, and followed by the answers to devices.
  'add-key-setting': 2,
  // Its route and use case, its command, its button on a page with both languages.
  'add-operation': 4,
  // Its promise, its SQL, its line in the store of both engines, and whether it changes the document of a json store.
  'add-store-method': 3,
  // A text: stored and erased, made by mint, listed, exported and imported, shown and changed by page, API and command.
  'add-ticket-field': 1,
};

export const FOLDER = 'fixtures/cost';

export const patchOf = (name: string) => resolve(`${FOLDER}/${name}.patch`);
