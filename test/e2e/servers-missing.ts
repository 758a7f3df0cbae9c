import { describe, it } from 'vitest';

// Runs in place of the end-to-end tests on servers where the set-up could not get hold of those.
describe('On KurrentDB, NATS and MongoDB', () => {
  // oxlint-disable-next-line vitest/no-disabled-tests -- it is to be counted as skipped
  it.skip('all of the end-to-end tests: this machine lacks the servers, which the set-up builds where it finds Go');
});
