import { sanitizeForTerminal } from '../../kit/text.ts';
import { tenths } from '../device-events.ts';
import type { Time } from '../time.ts';
import type { Receiver, Transport, WireAnswer, WireRequest } from '../wire.ts';

/** What a trace needs to know besides the request itself. */
export interface TraceOptions {
  readonly time: Time;
  /** The request as it is sent, the key hidden. */
  readonly requestText: (request: WireRequest) => string;
  readonly print: (line: string) => void;
}

/** The transport of a device that prints each request, the card in it and its answer for people. */
export function traced(transport: Transport, serial: string, options: TraceOptions): Transport {
  const { time, requestText } = options;
  const print = (mark: string, text: string): void => {
    for (const line of text.split(/\r?\n/))
      options.print(sanitizeForTerminal(`${serial} ${mark} ${line}`));
  };
  return {
    send(request, receiver, fault) {
      print('>', requestText(request));
      if (request.code !== undefined) print('*', `code of the card: ${request.code}`);
      if (fault) print('*', `fault: ${fault.kind}`);
      const sentAtMs = time.nowMs();
      const answered = ({ status, body }: WireAnswer, note = ''): void => {
        print('<', `HTTP ${status} after ${tenths(time.nowMs() - sentAtMs)} ms${note}\n${body}`);
      };
      transport.send(
        request,
        watched(receiver, answered, (text) => print('*', text)),
        fault,
      );
    },
    close: () => transport.close(),
  };
}

function watched(
  receiver: Receiver,
  answered: (answer: WireAnswer, note?: string) => void,
  say: (text: string) => void,
): Receiver {
  return {
    answered(answer) {
      answered(answer);
      receiver.answered(answer);
    },
    unseen(answer) {
      answered(answer, ', which did not reach the device');
      receiver.unseen(answer);
    },
    failed(failure) {
      say(`no answer: ${failure.message}`);
      receiver.failed(failure);
    },
  };
}
