/** What is known of the device or client beforehand, and how patient the judge is. */
export interface DeviceSettings {
  /** How long it waits for an answer, milliseconds: the Wait Time of a controller. */
  readonly waitTimeMs: number;
  /** The time between two heartbeats, milliseconds, as it is set. */
  readonly heartbeatMs: number;
  /** What the door does when no answer comes: `secure` stays shut, `safe` opens. */
  readonly failMode: 'secure' | 'safe';
  /** How long after an answer a reaction may take. */
  readonly reactionMs: number;
  /** The same card is not posted again within this time. */
  readonly antiRepeatMs: number;
  /** For how many seconds the two timed grants open the door. */
  readonly openSeconds: readonly [number, number];
  /** The time from power on until cards are read. */
  readonly bootMs: number;
}

/** As a controller is usually set up. */
export const DEFAULT_SETTINGS: DeviceSettings = {
  waitTimeMs: 3000,
  heartbeatMs: 5000,
  failMode: 'secure',
  reactionMs: 1500,
  antiRepeatMs: 1000,
  openSeconds: [2, 4],
  bootMs: 3000,
};
