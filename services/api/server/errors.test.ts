import { expect, it } from 'vitest';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { apiErrorFieldsOf } from './errors.ts';

it('A change that other processes keep preventing can be tried again', () => {
  expect(apiErrorFieldsOf(new RevisionConflict('account-1', 5))).toMatchObject({
    name: 'service_unavailable',
    extra: { retry_after: 1 },
  });
});
