import type { Card } from '../scan-attempt.ts';
import type { Time } from '../time.ts';
import type { Transport } from '../wire.ts';
import type { Scenario, ScenarioCard, ServerAction } from './scenario-schema.ts';

/** A scenario cannot be played here; the message says what is missing. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

/** Where a scenario is played: in virtual time on the stand-in service, or in real time on a real server. */
export interface Stage {
  readonly time: Time;
  connect(): Transport;
  /** The cards behind a name. @throws Skip when the stage has none such */
  cards(name: string, card: ScenarioCard): readonly Card[];
  /** Does something to the server. @throws Skip when the stage has no way to */
  server(action: ServerAction, forMs: number | undefined): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** Waits until `done`; returns false when that is not so within `limitMs`. */
  waitFor(done: () => boolean, limitMs: number): Promise<boolean>;
  /** Releases what the stage holds. */
  close(): void;
}

/** Makes a stage for one scenario; each gets a fresh one. */
export type StageMaker = (scenario: Scenario, seed: string) => Stage;
