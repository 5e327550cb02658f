import type { HttpDeps } from '../scan/http/exchange.ts';
import { controlRoutes } from './remote/control-routes.ts';
import type { TestBench } from './test-bench.ts';

/** What the HTTP layer is built on, with the bench's service and its controls. */
export function hooksOf(bench: TestBench, deps: Omit<HttpDeps, 'service' | 'testHooks'>): HttpDeps {
  return {
    ...deps,
    get service() {
      return bench.service;
    },
    testHooks: {
      around: (path, endpoint) => bench.around(path, endpoint),
      routes: controlRoutes(bench),
      ...(bench.varies && { requestLevel: 'info' }),
    },
  };
}
