import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { fileError, isTemporaryName, writeAtomically } from '../files.ts';
import { SEED_BYTES } from './ticket-run.ts';

const NAME = '.ticketscan-mint.json';

const Journal = z.strictObject({
  version: z.literal(1),
  plan: z.string(),
  seed: z.string(),
  createdAt: z.number().int(),
});

/** The facts with which an interrupted run makes the same tickets again. */
export interface RunIdentity {
  readonly seed: Uint8Array;
  readonly createdAt: number;
}

/** A digest that differs if anything in the plan of a run differs. */
export function planDigest(plan: unknown): string {
  return hash('sha256', JSON.stringify(plan), 'hex');
}

/**
 * Notes a run in its folder before it makes anything, or takes up the one that is noted there.
 * @param digest of what is to be made
 * @param resume whether to take up an unfinished run
 * @throws TicketscanError `conflict` when the folder holds an unfinished run and `resume` is not set, or another run;
 *   `not_found` when there is none to resume
 */
export async function beginRun(
  folder: string,
  digest: string,
  resume: boolean,
  fresh: RunIdentity,
): Promise<RunIdentity & { resumed: boolean }> {
  const path = join(folder, NAME);
  if (!existsSync(path)) {
    if (resume) {
      throw new TicketscanError(
        'not_found',
        `${folder} contains no unfinished run. Remove --resume to begin one.`,
      );
    }
    const { createdAt } = fresh;
    const seed = Buffer.from(fresh.seed).toString('base64url');
    const journal: z.infer<typeof Journal> = { version: 1, plan: digest, seed, createdAt };
    await writeAtomically(path, async (stream) => stream.write(`${JSON.stringify(journal)}\n`));
    return { ...fresh, resumed: false };
  }
  if (!resume) {
    throw new TicketscanError(
      'conflict',
      `${folder} contains an unfinished run. Run the same command with --resume, or name another folder with --out.`,
    );
  }
  const { plan, seed, createdAt } = await readJournal(path);
  if (plan !== digest) {
    throw new TicketscanError(
      'conflict',
      `${folder} contains an unfinished run of other tickets. Resume it with its original options, list and signing key.`,
    );
  }
  await removeTemporaryFiles(folder);
  return { seed: Buffer.from(seed, 'base64url'), createdAt, resumed: true };
}

/** Forgets the run: it is complete. */
export async function endRun(folder: string): Promise<void> {
  await rm(join(folder, NAME), { force: true });
}

async function readJournal(path: string): Promise<z.infer<typeof Journal>> {
  try {
    const journal = Journal.parse(JSON.parse(await readFile(path, 'utf8')));
    if (Buffer.from(journal.seed, 'base64url').length === SEED_BYTES) return journal;
  } catch (error) {
    const failure = fileError(path, error);
    if (failure instanceof TicketscanError) throw failure;
  }
  throw new TicketscanError('conflict', `${path} is damaged; mint into another folder.`);
}

/** A run that was killed leaves files that never got their names, and folders in which such grew. */
async function removeTemporaryFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (isTemporaryName(name)) await rm(join(folder, name), { force: true, recursive: true });
  }
}
