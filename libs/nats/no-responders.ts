import { errors } from '@nats-io/transport-node';

/** Whether a request failed because no subscription listens on its subject. */
export const isNoRespondersError = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError || (error instanceof errors.RequestError && error.isNoResponders());
