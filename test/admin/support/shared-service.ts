import { afterAll, beforeAll } from 'vitest';
import { TestService, type TestServiceOptions } from '../../support/service.ts';
import { AdminClient } from './client.ts';

/** A service for all tests of a file, and an owner who has signed in. */
export interface SharedService {
  readonly service: TestService;
  readonly owner: AdminClient;
}

/** @returns what has its values as soon as the first test begins */
export function sharedService(options: TestServiceOptions = { store: 'memory' }): SharedService {
  const shared: { service?: TestService; owner?: AdminClient } = {};
  beforeAll(async () => {
    shared.service = await TestService.start(options);
    shared.owner = await AdminClient.signedIn(shared.service);
  });
  afterAll(() => shared.service?.[Symbol.asyncDispose]());
  return shared as SharedService;
}
