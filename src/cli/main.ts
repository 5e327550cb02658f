import { fileFailure } from '../kit/failures.ts';
import { processIo, reportFailure } from '../terminal/io.ts';
import { runCli } from './program.ts';

const io = processIo();
// A reader that closes the pipe early (`| head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const hasLeft = error.code === 'EPIPE';
  if (!hasLeft) writeFailed(error);
  if (io.outlives === 'output' || (hasLeft && io.outlives === 'reader')) return;
  process.exit(hasLeft ? 0 : 2);
});
// Without stderr, the program cannot report it anywhere.
process.stderr.on('error', () => {
  if (io.outlives !== 'output') process.exit(1);
});

/** The result could not be written: neither "good" nor "the answer is no". */
function writeFailed(error: NodeJS.ErrnoException): void {
  io.err(
    `ticketscan: The output cannot be written: ${fileFailure(error)}. The rest of it is lost.`,
  );
}

try {
  await runCli(process.argv.slice(2), io);
} catch (error) {
  reportFailure(io, error);
}
