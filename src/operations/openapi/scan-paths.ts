import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from '../../core/limits.ts';
import { REST_PATHS } from '../../scan/http/scan-paths.ts';
import { answerOf, bodyOf, inJson } from './content.ts';
import { devicePaths } from './device-paths.ts';
import { ScanBody, ScanError, ScanResult } from './scan-wire.ts';
import type { Operation, Parameter, Paths } from './types.ts';

/** The endpoints of section 4, which the framework does not see. */
export function scanPaths(): Paths {
  const validate = restScan('scanValidate', 'Check a ticket without consuming (section 4.1)');
  return {
    [REST_PATHS.validate]: { post: validate },
    [REST_PATHS.consume]: { post: restConsume() },
    ...devicePaths(),
  };
}

const LANGUAGE: Parameter = {
  name: 'Accept-Language',
  in: 'header',
  description:
    'The message of a scan result is German where this prefers German, English otherwise.',
  schema: { type: 'string' },
};

const RETRY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'The same key and body within 24 hours get the stored answer again, in its first language, and take no second use. Visible ASCII.',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARACTERS_MAX },
};

function restConsume(): Operation {
  const scan = restScan('scanConsume', 'Consume one use of a ticket (section 4.2)');
  const refused = 'The Idempotency-Key is malformed, or was used with another body before';
  return {
    ...scan,
    parameters: [LANGUAGE, RETRY],
    responses: { ...scan.responses, 422: answerOf(refused, [inJson(ScanError)]) },
  };
}

function restScan(operationId: string, summary: string): Operation {
  const result = [inJson(ScanResult)];
  const error = [inJson(ScanError)];
  return {
    tags: ['Scans by own software'],
    operationId,
    summary,
    security: [{ apiKey: [] }],
    parameters: [LANGUAGE],
    requestBody: bodyOf([inJson(ScanBody)]),
    responses: {
      200: answerOf('A decision: read valid, status and reason', result),
      400: answerOf(
        'The body cannot be used, and the message says why; or the request is not valid HTTP',
        [...result, ...error],
      ),
      401: answerOf('The key is missing or invalid', error),
      403: answerOf('The key has no access to the event of the ticket', result),
      404: answerOf('The ticket does not exist', result),
      405: answerOf('A method other than POST', error),
      408: answerOf('The request did not arrive in time', error),
      429: answerOf('Too many requests; Retry-After says how long to wait', error),
      431: answerOf('The headers are too large', error),
      500: answerOf('The outcome is unknown: do not open', error),
    },
  };
}
