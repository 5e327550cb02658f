import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { readOwnedText } from '../../kit/file-owners.ts';
import { readBoundedText } from '../../kit/files.ts';
import { positionOfJsonIssue } from '../../kit/json-text.ts';
import { checkResultFile, type ResultOptions, writeResult } from '../../kit/result-files.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readKeyValue } from '../../terminal/key-value.ts';
import {
  type Destination,
  isElsewhere,
  readSecretValue,
  refuseForeignSecret,
} from '../../terminal/options.ts';
import { CheckUsageError, readTarget, sampleTargetFile, type Target } from '../index.ts';

/** @throws TicketscanError `usage` when the file cannot be read or is no JSON */
export function readJsonFile(path: string): unknown {
  return jsonIn(
    doing(path, 'read', () => readBoundedText(path)),
    path,
  );
}

function jsonIn(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TicketscanError('usage', `${path} is not valid JSON: ${positionOfJsonIssue(text)}.`);
  }
}

/** Refuses that a token goes to the address of somebody else's target file. @throws TicketscanError `usage` */
export function refuseForeignTarget(
  path: string | undefined,
  what: string,
  destination: Destination,
): void {
  if (path === undefined || destination.named !== undefined) return;
  const { foreign } = doing(path, 'read', () => readOwnedText(path));
  refuseForeignSecret({ path, foreign }, what, destination);
}

/** A target file, with its `env:` and `file:` values filled in. @param destination that the command names @throws TicketscanError, CheckUsageError */
export function readTargetFile(path: string, destination: Destination, io: CliIo): Target {
  const { text: content, foreign } = doing(path, 'read', () => readOwnedText(path));
  const value = jsonIn(content, path);
  const hasAddress = typeof (value as { baseUrl?: unknown } | null)?.baseUrl === 'string';
  const resolve = (text: string, member: string) => {
    try {
      if (hasAddress && isElsewhere(text))
        refuseForeignSecret({ path, foreign }, text, destination);
      return member.startsWith('keys')
        ? readKeyValue(text, io, 'it')
        : readSecretValue(text, io, 'it');
    } catch (error) {
      throw new TicketscanError('usage', `${path}, "${member}": ${messageOf(error)}`);
    }
  };
  return naming(path, () => readTarget(value, resolve));
}

/** What `work` makes of the content of a file; what is wrong with it names the file. */
function naming<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CheckUsageError)) throw error;
    throw new CheckUsageError(`${path}: ${error.message}`, { cause: error });
  }
}

/** For its owner: some formats hold ticket codes. @throws TicketscanError `usage` when the file cannot be written */
export function writeReportFile(path: string, text: string, options: ResultOptions): void {
  doing(path, 'written', () => writeResult(path, text, options));
}

/** @throws TicketscanError `usage` when the file could not be written after the run */
export function checkReportFile(path: string, options: ResultOptions): void {
  doing(path, 'written', () => checkResultFile(path, options));
}

function doing<T>(path: string, what: 'read' | 'written', work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be ${what}: ${fileFailure(error)}.`);
  }
}

/** `ticketscan check init`: a commented target file to fill in, for its owner alone; on stdout without `--out`. */
export function initCommand(io: CliIo): Command {
  return new Command('init')
    .description('Write a commented target file to fill in.')
    .argument('[base-url]', 'base address of the deployment')
    .option('--out <file>', 'file to write; an existing file is never overwritten')
    .action((baseUrl: string | undefined, { out }: { out?: string }) => {
      const text = sampleTargetFile(baseUrl);
      if (out === undefined) {
        io.stdout.write(text);
        return;
      }
      if (existsSync(out)) {
        throw new TicketscanError(
          'usage',
          `${out} already exists and was not changed. Name another file with --out.`,
        );
      }
      doing(out, 'written', () => writeResult(out, text, {}));
      io.out(`Wrote ${out}. Fill it in, then: ticketscan check --target ${out}`);
    });
}
