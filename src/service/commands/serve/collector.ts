import { setFlagsFromString } from 'node:v8';

/**
 * Tells V8 not to put new objects of a kind into the old generation because earlier ones of that kind stayed. While a server starts,
 * everything stays; what it then makes for each request dies at once, and taken for old it cost a quarter of the speed (ADR 0019).
 */
export function expectShortLives(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
