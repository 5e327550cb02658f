import { BASE36, type RandomBytes, randomText } from '../kit/random.ts';

const EVENT_ID = /^[a-z0-9]{6,10}$/;
const TICKET_ID = /^tkt_[a-z0-9]{6,10}_[a-z0-9]{20,40}$/;
const EVENT_AT = 'tkt_'.length;
const BATCH_ID = /^bat_[a-z0-9]{10}$/;
const EVENT_ID_CHARACTERS = 6;
const BATCH_CHARACTERS = 10;
/** 36^20 is a little over 2^103: a ticket cannot be guessed. */
const RANDOM_CHARACTERS = 20;

/** A new public event id: six characters of a-z0-9. */
export function makeEventId(random: RandomBytes): string {
  return randomText(BASE36, EVENT_ID_CHARACTERS, random);
}

export function isEventId(text: string): boolean {
  return EVENT_ID.test(text);
}

/** A new name for the tickets of one run of mint, import or create: `bat_<random>`. */
export function makeBatchId(random: RandomBytes): string {
  return `bat_${randomText(BASE36, BATCH_CHARACTERS, random)}`;
}

export function isBatchId(text: string): boolean {
  return BATCH_ID.test(text);
}

/** A new ticket identifier `tkt_<event>_<random>`; section 2.2 has the event derived from it. */
export function makeTicketId(eventId: string, random: RandomBytes): string {
  return `tkt_${eventId}_${randomText(BASE36, RANDOM_CHARACTERS, random)}`;
}

/** Reads a ticket identifier as it is printed, in groups and in any letter case; undefined for any other text. */
export function ticketIdIn(text: string): string | undefined {
  const id = text.replace(/\s/g, '').toLowerCase();
  return TICKET_ID.test(id) ? id : undefined;
}

/** The event in a ticket identifier, or undefined when the text is not a ticket identifier. */
export function eventOfTicketId(ticketId: string): string | undefined {
  if (!TICKET_ID.test(ticketId)) return undefined;
  return ticketId.slice(EVENT_AT, ticketId.indexOf('_', EVENT_AT));
}
