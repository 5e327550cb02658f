import { processIo, reportFailure } from './io.ts';
import { runCli } from './run-cli.ts';

const io = processIo();
// A reader that closed the pipe (`| head`) has seen enough: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
try {
  await runCli(process.argv.slice(2), io);
} catch (error) {
  reportFailure(io, error);
}
