import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { checkWritable, readBoundedText, writeForOwner } from '../../kit/files.ts';
import { positionOfJsonIssue } from '../../kit/json-text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readSecretValue } from '../../terminal/options.ts';
import { readTarget, sampleTargetFile, type Target } from '../index.ts';

/** @throws TicketscanError `usage` when the file cannot be read or is no JSON */
export function readJsonFile(path: string): unknown {
  const text = doing(path, 'read', () => readBoundedText(path));
  try {
    return JSON.parse(text);
  } catch {
    throw new TicketscanError('usage', `${path} is not valid JSON: ${positionOfJsonIssue(text)}.`);
  }
}

/** A target file, with its `env:` and `file:` values filled in. @throws TicketscanError, CheckUsageError */
export function readTargetFile(path: string, io: CliIo): Target {
  return readTarget(readJsonFile(path), (text, member) => {
    try {
      return readSecretValue(text, io);
    } catch (error) {
      throw new TicketscanError('usage', `${path}, "${member}": ${messageOf(error)}`);
    }
  });
}

/** For its owner: some formats hold ticket codes. @throws TicketscanError `usage` when the file cannot be written */
export function writeReportFile(path: string, text: string): void {
  doing(path, 'written', () => writeForOwner(path, text));
}

/** @throws TicketscanError `usage` when the file could not be written after the run */
export function checkReportFile(path: string): void {
  doing(path, 'written', () => checkWritable(path));
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
        throw new TicketscanError('usage', `${out} already exists and was not changed.`);
      }
      doing(out, 'written', () => writeForOwner(out, text, 'wx'));
      io.out(`Wrote ${out}. Fill it in, then: ticketscan check --target ${out}`);
    });
}
