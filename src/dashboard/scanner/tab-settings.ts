/** What a tab keeps for its scan page. It belongs to the account that chose it, and goes with its sign-out. */
import { recall, remember } from '../i18n/language.tsx';
import type { ScanAttempt } from './scan-requests.ts';

/** The prefix of keys for own software; hardware keys are for devices only. */
const API_KEY = /^tscn_api_[0-9A-Za-z]{38}$/;

/** Whether this may be a key for own software; only the server knows whether it holds. */
export function looksLikeApiKey(text: string): boolean {
  return API_KEY.test(text);
}

const KEY = 'ticketscan.scan-key';
const CAMERA = 'ticketscan.camera';
const MODE = 'ticketscan.scan-mode';
const SOUND = 'ticketscan.scan-sound';
const HOLD = 'ticketscan.scan-hold';
const SIGHTS = 'ticketscan.scan-sights';

/** The key that scans in this tab, if this account entered it. It survives a reload of the tab, not its end, and no other tab sees it. */
export function tabKey(account: string): string | undefined {
  const [owner, key] = (recall(KEY, 'sessionStorage') ?? '').split(' ');
  return owner === account ? key : undefined;
}

/** @param key undefined forgets it */
export function setTabKey(account: string, key: string | undefined): void {
  remember(KEY, key === undefined ? undefined : `${account} ${key}`, 'sessionStorage');
}

/** `ask`: first what the ticket is, then a person says whether a use is taken. `out`: the device stands at a way out. */
export const SCAN_MODES = ['consume', 'ask', 'validate', 'out'] as const satisfies (
  | ScanAttempt['action']
  | 'ask'
  | 'out'
)[];
export type ScanMode = (typeof SCAN_MODES)[number];

/** What is kept beyond this page. */
export interface Kept<Value> {
  readonly read: () => Value;
  readonly write: (value: Value) => void;
}

/** What a scan does. A browser on a paired phone closes the tab whenever it likes: there it is kept for longer. */
export function keptMode(isPhone: boolean): Kept<ScanMode> {
  const where = isPhone ? 'localStorage' : 'sessionStorage';
  return {
    read: () => SCAN_MODES.find((mode) => mode === recall(MODE, where)) ?? 'consume',
    write: (mode) => remember(MODE, mode === 'consume' ? undefined : mode, where),
  };
}

/** Whether a scan is heard. */
export function keptSound(isPhone: boolean): Kept<boolean> {
  const where = isPhone ? 'localStorage' : 'sessionStorage';
  return {
    read: () => recall(SOUND, where) !== 'off',
    write: (isOn) => remember(SOUND, isOn ? undefined : 'off', where),
  };
}

/** Whether the next scan waits until a person has seen what is written on a marked ticket. */
export function keptHold(isPhone: boolean): Kept<boolean> {
  const where = isPhone ? 'localStorage' : 'sessionStorage';
  return {
    read: () => recall(HOLD, where) !== 'off',
    write: (isOn) => remember(HOLD, isOn ? undefined : 'off', where),
  };
}

/** Whether the camera was on: after a reload it starts again. */
export function keptCamera(isPhone: boolean): Kept<boolean> {
  const where = isPhone ? 'localStorage' : 'sessionStorage';
  return {
    read: () => recall(CAMERA, where) === 'on',
    write: (isOn) => remember(CAMERA, isOn ? 'on' : undefined, where),
  };
}

/** The digests of the codes that the camera sees, for when it starts again. */
export function keptSights(isPhone: boolean): Kept<string | undefined> {
  const where = isPhone ? 'localStorage' : 'sessionStorage';
  return {
    read: () => recall(SIGHTS, where),
    write: (sights) => remember(SIGHTS, sights, where),
  };
}

const UNANSWERED = 'ticketscan.unanswered-scans';

/**
 * Keeps the scans without an answer for every tab of the browser. They stay after a sign-out, because the next person who signs in may
 * have the same guest in front of them. They contain no codes.
 */
export const keptUnanswered: Kept<string | undefined> = {
  read: () => recall(UNANSWERED),
  write: (scans) => remember(UNANSWERED, scans),
};

/** Forgets all choices of a person, so that the next person at this browser starts with none. */
export function forgetTab(): void {
  for (const name of [KEY, CAMERA, MODE, SOUND, HOLD, SIGHTS]) {
    remember(name, undefined, 'sessionStorage');
    remember(name, undefined);
  }
}
