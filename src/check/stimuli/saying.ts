import { Deviation } from '../facts/failures.ts';

/**
 * Adds to what was observed which member of a family was asked.
 * @param how the end of a sentence that begins with "where "
 * @throws Deviation what the judge throws
 */
export function saying(how: string, judge: () => void): void {
  try {
    judge();
  } catch (error) {
    if (!(error instanceof Deviation)) throw error;
    const { expected, observed, exchange, facts } = error;
    throw new Deviation(expected, `${observed}, where ${how}`, exchange, facts);
  }
}
