import { errors } from '@nats-io/transport-node';

/** Whether a request failed because nobody listens under its subject: what is asked for is not there. */
export const isNoRespondersError = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError || (error instanceof errors.RequestError && error.isNoResponders());
