import { fileFailure } from '../kit/failures.ts';
import { processIo, reportFailure } from '../terminal/io.ts';
import { runCli } from './run-cli.ts';

const io = processIo();
// A reader that closes the pipe early (`| head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') writeFailed(error);
  else if (!io.outlivesReader) process.exit(0);
});

/** The result could not be written: neither "good" nor "the answer is no". */
function writeFailed(error: NodeJS.ErrnoException): void {
  io.err(
    `ticketscan: The output cannot be written: ${fileFailure(error)}. The rest of it is lost.`,
  );
  process.exit(2);
}

try {
  await runCli(process.argv.slice(2), io);
} catch (error) {
  reportFailure(io, error);
}
