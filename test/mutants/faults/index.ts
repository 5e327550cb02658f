import type { Endpoint } from '../../../src/check/index.ts';
import { ANSWER_FAULTS } from './answers.ts';
import { CLIENT_FAULTS } from './clients.ts';
import { CODE_FAULTS } from './codes.ts';
import { DEVICE_FAULTS } from './devices.ts';
import { EVERY_ANSWER_FAULTS } from './every-answer.ts';
import {
  CONSUME,
  DEVICE,
  ENDPOINTS,
  type FaultyServer,
  REST,
  SCANS,
  VALIDATE,
} from './faulty-server.ts';
import { KEY_FAULTS } from './keys.ts';
import { LIKENESS_FAULTS } from './likenesses.ts';
import { MEMBER_FAULTS } from './members.ts';
import { MEMORY_FAULTS } from './memories.ts';
import { MOMENT_FAULTS } from './moments.ts';
import { REQUEST_FAULTS } from './requests.ts';
import { SCOPE_FAULTS } from './scopes.ts';
import { SEQUENCE_FAULTS } from './sequences.ts';
import { TICKET_FAULTS } from './tickets.ts';
import { USE_FAULTS } from './uses.ts';
import { WAY_IN_FAULTS } from './ways-in.ts';

/** Every server that is right for any single request, and wrong after some others, by the file of its row. */
export const HISTORY_BY_FILE: Readonly<Record<string, readonly FaultyServer[]>> = {
  'memories.ts': MEMORY_FAULTS,
  'sequences.ts': SEQUENCE_FAULTS,
};

/** All of them. */
export const HISTORY_FAULTS: readonly FaultyServer[] = Object.values(HISTORY_BY_FILE).flat();

const HEARTBEATS_TOO = [...DEVICE, 'heartbeat'] as const;

/** Faults of history that a case notices by itself, and where. */
const NOTICED_BY_CASES: Readonly<Record<string, readonly Endpoint[]>> = {
  'shows a device the name of the holder before': DEVICE,
  'shows the holder of the ticket before': REST,
  'shows the ticketId of the first ticket of a connection': REST,
  'asks for the key on the first request of a connection only': ENDPOINTS,
  'holds the scope of the first key of a connection': SCANS,
  'refuses a good key after a refused one on the connection': ENDPOINTS,
  'lets a scoped key scan what another key scanned before': VALIDATE,
  'refuses a ticket to all keys once a scoped one was refused': SCANS,
  'takes any REST key at its sixth try': REST,
  'takes any device key at its fifth try': HEARTBEATS_TOO,
  'takes a forgery on rest validate once the genuine code was seen': ['validate'],
  'takes a forgery on rest consume once the genuine code was seen': ['consume'],
  'takes a forgery on hardware validate once the genuine code was seen': ['hw/validate'],
  'takes a forgery on hardware consume once the genuine code was seen': ['hw/consume'],
  'checks only the first signature of a connection': SCANS,
  'stores only the first use of a connection': CONSUME,
  'counts the uses of each connection apart': CONSUME,
  'has a lock for each key': CONSUME,
  'writes the ticket back as validate had read it': VALIDATE,
};

/** The faults of history that cases notice too, each with where. */
const noticedByCases = (faults: readonly FaultyServer[]): readonly FaultyServer[] =>
  faults
    .filter(({ name }) => name in NOTICED_BY_CASES)
    .map((one) => ({ ...one, shows: NOTICED_BY_CASES[one.name] ?? [], isByChance: true as const }));

/** Every faulty server that a check without rate limits must find, by the file of its row. */
export const FAULTS_BY_FILE: Readonly<Record<string, readonly FaultyServer[]>> = {
  'answers.ts': ANSWER_FAULTS,
  'codes.ts': CODE_FAULTS,
  'devices.ts': DEVICE_FAULTS,
  'keys.ts': KEY_FAULTS,
  'scopes.ts': SCOPE_FAULTS,
  'requests.ts': REQUEST_FAULTS,
  'tickets.ts': TICKET_FAULTS,
  'uses.ts': USE_FAULTS,
  'every-answer.ts': EVERY_ANSWER_FAULTS,
  'likenesses.ts': LIKENESS_FAULTS,
  'ways-in.ts': WAY_IN_FAULTS,
  'clients.ts': CLIENT_FAULTS,
  'members.ts': MEMBER_FAULTS,
  'memories.ts': noticedByCases(MEMORY_FAULTS),
  'sequences.ts': noticedByCases(SEQUENCE_FAULTS),
  'moments.ts': MOMENT_FAULTS,
};

/** All of them. */
export const FAULTY: readonly FaultyServer[] = Object.values(FAULTS_BY_FILE).flat();
