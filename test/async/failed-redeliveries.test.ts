import { expect, it } from 'vitest';
import { createReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import { redeliverFailed } from '#application/deliveries/redeliver.ts';
import { createRedeliveryPace } from '#application/deliveries/redelivery-pace.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { openEmbeddedEngines } from '../support/api/embedded-engines.ts';
import { deliverySecrets, deliveryServiceOn, responded } from '../support/webhooks/delivery-service.ts';

it('Failed callbacks that cannot be sent again are an error, not a redelivery of none', async () => {
  const embedded = await openEmbeddedEngines();
  const { id } = await embedded.recordCompletedRender();
  await deliveryServiceOn(embedded, () => responded(404)).deliver(id);
  await embedded.catchUpReadModels();
  const { eventLog, accountId, cause } = embedded;
  const { reads, blobs } = embedded.engines;
  const redeliverWith = (append: typeof eventLog.store.append) =>
    redeliverFailed(
      {
        ...{ blobs, reads, secrets: deliverySecrets },
        eventLog: { ...eventLog, store: { ...eventLog.store, append } },
        readYourWrites: createReadYourWrites(reads),
        redeliveryPace: createRedeliveryPace(),
      },
      accountId,
      { since: '2020-01-01T00:00:00Z' },
      1_000,
      cause,
    );
  const full = ApiError.of('service_unavailable', 'The disk of the service is full.', { retry_after: 10 });
  await expect(redeliverWith(() => Promise.reject(full))).rejects.toBe(full);
  expect(await redeliverWith(eventLog.store.append)).toMatchObject({ matching: 1, redelivered: [id] });
});
