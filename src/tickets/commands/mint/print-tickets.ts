import type { CliIo } from '../../../terminal/io.ts';
import { renderQr } from '../../codes/render-qr.ts';
import { writeCodesJson, writePieces } from '../../lists/list-files.ts';
import { printedTickets, type TicketRun } from '../../making/make-ticket.ts';
import type { MintOptions } from './mint-options.ts';

/** The tickets on stdout: as JSON, as QR codes, or their codes one a line. */
export async function printTickets(
  io: CliIo,
  run: TicketRun,
  options: Pick<MintOptions, 'json' | 'terminal'>,
): Promise<void> {
  if (options.json) {
    await writeCodesJson(io.stdout, printedTickets(run));
    return;
  }
  // Without colours the characters are correct on a light background only.
  const format = io.env['NO_COLOR'] || !io.stdoutIsTty ? 'text' : 'terminal';
  function* lines(): Generator<string> {
    for (const { id, code } of printedTickets(run)) {
      yield options.terminal ? `${id}\n${renderQr(code, { format })}\n` : `${code}\n`;
    }
  }
  await writePieces(io.stdout, lines());
}
