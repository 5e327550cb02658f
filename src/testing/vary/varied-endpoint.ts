import type { Endpoint, HttpDeps, ServedEndpoint } from '../../scan/http/exchange.ts';
import { rememberVariations } from '../../scan/http/request-log.ts';
import { CapturedAnswer } from '../faults/captured-answer.ts';
import { Variations, type VaryOptions } from './variations.ts';

/** What the HTTP layer is built on, with answers that differ and nothing else for tests. */
export function varied(deps: Omit<HttpDeps, 'testHooks'>, options: VaryOptions): HttpDeps {
  const variations = new Variations(options);
  const around = (_path: string, endpoint: Endpoint) => variedEndpoint(endpoint, variations);
  return { ...deps, testHooks: { around, requestLevel: 'info' } };
}

/** An endpoint whose answers differ as `variations` chooses. */
function variedEndpoint(endpoint: Endpoint, variations: Variations): ServedEndpoint {
  return async (exchange) => {
    const vary = variations.next();
    const answer = new CapturedAnswer();
    await endpoint({ ...exchange, response: answer });
    const { request, response } = exchange;
    const varied = vary(answer, request);
    rememberVariations(request, varied.names);
    varied.send(response);
  };
}
