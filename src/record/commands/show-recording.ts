import type { CliIo } from '../../terminal/io.ts';
import { RequestKinds } from '../kinds/request-kinds.ts';
import type { Recording } from '../recording.ts';
import { exchangeLine } from './exchange-line.ts';
import { exchangeText, kindLines } from './show-kinds.ts';

/** Shows the contents of a recording: its exchanges, then each kind of request field by field. Sends nothing. */
export function showRecording({ header, exchanges }: Recording, json: boolean, io: CliIo): void {
  const kinds = new RequestKinds();
  for (const exchange of exchanges) kinds.observe(exchange);
  if (json) {
    for (const kind of kinds.all()) io.out(JSON.stringify({ event: 'kind', ...kind }));
    return;
  }
  const codes = header.codes === 'real' ? 'with ticket codes' : 'with replaced ticket codes';
  io.out(`${exchanges.length} exchanges with ${header.upstream}, ${header.recordedAt}, ${codes}`);
  for (const exchange of exchanges) io.out(exchangeText(exchangeLine(exchange)));
  for (const kind of kinds.all()) for (const line of kindLines(kind)) io.out(line);
}
