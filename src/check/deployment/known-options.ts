import { didYouMean } from '../../kit/nearest.ts';
import { CheckUsageError } from './target.ts';

/** Every option of a function, by its name: a type that gets another one no longer fits. */
export type Known<Options> = Readonly<Record<keyof Options, true>>;

/** The options that `check explore`, a replay and a comparison connect with. */
export const CONNECT_OPTIONS = {
  baseUrl: true,
  target: true,
  consume: true,
  timeoutMs: true,
  maxRate: true,
  limits: true,
  insecureHttp: true,
  insecureTls: true,
  ca: true,
  mint: true,
  signal: true,
} as const;

/**
 * Refuses an option that would be ignored: a misspelt `consume` or `keyHooks` makes a run that asks less than was meant.
 * @throws CheckUsageError naming the one that was meant
 */
export function refuseUnknownOptions<Options extends object>(
  name: string,
  options: Options,
  known: Known<Options>,
): void {
  const names = Object.keys(known);
  const other = Object.keys(options).find((one) => !names.includes(one));
  if (other === undefined) return;
  throw new CheckUsageError(
    `"${other}" is not an option of ${name}().${didYouMean(other, names)} Its options: ${names.join(', ')}.`,
  );
}
