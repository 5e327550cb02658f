import { HISTORY_TWINS } from '../history/twins/index.ts';
import type { Alteration } from '../reference/server.ts';
import type { Twin } from './twin.ts';

/** A server with a fault of history that a case must notice by itself, with a memory of its own. */
function of(name: string, section: string, caughtBy: string): Twin {
  const known = HISTORY_TWINS.find((one) => one.name === name);
  if (!known) throw new Error(`no history twin is called "${name}"`);
  const alter: Alteration = (parts, world) => known.make().alter?.(parts, world) ?? {};
  return { name: `${name}-at-once`, section, fault: known.fault, caughtBy: [caughtBy], alter };
}

/** Servers whose answers depend on the requests before. */
export const APART_TWINS: readonly Twin[] = [
  of('name-of-the-one-before', '2.3', '2.3/nothing-of-another-ticket'),
  of('holder-of-the-one-before', '2.3', '2.3/nothing-of-another-ticket'),
  of('ticket-id-of-the-connection', '2.3', '2.3/nothing-of-another-ticket'),
  of('key-by-connection', '5', '5/each-request-by-its-own-key'),
  of('scope-by-connection', '5', '5/each-request-by-its-own-key'),
  of('refusal-by-connection', '5', '5/each-request-by-its-own-key'),
  of('scope-remembered', '5', '5/each-request-by-its-own-key'),
  of('scope-refusal-remembered', '5', '5/each-request-by-its-own-key'),
  of('key-refusal-wears-out', '5', '5/refused-key-stays-refused'),
  of('device-key-refusal-wears-out', '5', '5/refused-key-stays-refused'),
  of('signature-remembered-rest-validate', '2.2', '2.2/forged-after-the-genuine-code'),
  of('signature-remembered-rest-consume', '2.2', '2.2/forged-after-the-genuine-code'),
  of('signature-remembered-hardware-validate', '2.2', '2.2/forged-after-the-genuine-code'),
  of('signature-remembered-hardware-consume', '2.2', '2.2/forged-after-the-genuine-code'),
  of('signature-remembered-by-connection', '2.2', '2.2/forged-after-the-genuine-code'),
  of('second-on-a-connection-lost', '3.2', '3.2/uses-on-one-connection'),
  of('counter-by-connection', '3.2', '3.2/uses-on-one-connection'),
  of('lock-by-key', '3.2', '3.2/race-of-two-keys'),
  of('validate-writes-back', '3.2', '3.2/validate-during-a-use'),
];
