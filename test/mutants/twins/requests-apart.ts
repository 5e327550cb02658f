import { HISTORY_TWINS } from '../history/twins/index.ts';
import type { Alteration } from '../reference/server.ts';
import type { Twin } from './twin.ts';

/** A server with a fault of history that a case must notice by itself, with a memory of its own. */
function of(name: string, section: string): Twin {
  const known = HISTORY_TWINS.find((one) => one.name === name);
  if (!known) throw new Error(`no history twin is called "${name}"`);
  const alter: Alteration = (parts, world) => known.make().alter?.(parts, world) ?? {};
  return { name: `${name}-at-once`, section, fault: known.fault, alter };
}

/** Servers whose answers depend on the requests before. */
export const APART_TWINS: readonly Twin[] = [
  of('name-of-the-one-before', '2.3'),
  of('holder-of-the-one-before', '2.3'),
  of('ticket-id-of-the-connection', '2.3'),
  of('key-by-connection', '5'),
  of('scope-by-connection', '5'),
  of('refusal-by-connection', '5'),
  of('scope-remembered', '5'),
  of('scope-refusal-remembered', '5'),
  of('key-refusal-wears-out', '5'),
  of('device-key-refusal-wears-out', '5'),
  of('signature-remembered-rest-validate', '2.2'),
  of('signature-remembered-rest-consume', '2.2'),
  of('signature-remembered-hardware-validate', '2.2'),
  of('signature-remembered-hardware-consume', '2.2'),
  of('signature-remembered-by-connection', '2.2'),
  of('second-on-a-connection-lost', '3.2'),
  of('counter-by-connection', '3.2'),
  of('lock-by-key', '3.2'),
  of('validate-writes-back', '3.2'),
];
