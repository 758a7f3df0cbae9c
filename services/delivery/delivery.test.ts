import { expect, test, vi } from 'vitest';
import type { Bus, Delivery as Message } from '#libs/bus/port.ts';
import type { DeliveryDependencies } from '#application/deliveries/deliver.ts';
import { runDelivery } from './delivery.ts';

test('the webhook deliveries of one account leave room for those of another, however many of its receivers are silent', async () => {
  const stopping = new AbortController();
  const released = Promise.withResolvers<never>();
  released.promise.catch(() => undefined);
  const begun = { silent: 0, other: 0 };
  const messageOf = (group: keyof typeof begun): Message => ({
    id: group, subject: 'delivery.due', group, data: { id: group }, attempt: 1, ack: async () => undefined, nak: async () => undefined, working: async () => undefined,
  });
  const bus = {
    next: async () => (begun.silent < 10_000 ? messageOf('silent') : null),
    nextBeside: async (_: unknown, groups: ReadonlySet<string>) => (groups.has('silent') && begun.other === 0 ? messageOf('other') : null),
  } as unknown as Bus;
  const read = (stream: string): Promise<never> => {
    begun[stream.includes('other') ? 'other' : 'silent'] += 1;
    return released.promise;
  };
  const parts = { log: { store: { read }, now: () => new Date(0) }, blobs: {} } as unknown as DeliveryDependencies;

  const over = runDelivery(parts, bus, () => undefined, stopping.signal);
  await vi.waitFor(() => expect(begun.other).toBe(1), { timeout: 20_000 });
  expect(begun.silent).toBeLessThanOrEqual(1_000);
  stopping.abort();
  released.reject(new Error('stopped'));
  await over;
});
