import { createInbox, errors, type Msg, type NatsConnection } from '@nats-io/transport-node';

/** Asks the server for one thing after the other, over one subscription for all answers. */
export type Mailbox = {
  /** The answer to a question. @throws Error where none comes in time, or nobody is there to give one: the mailbox is closed then; and where the one before has not been answered */
  ask(subject: string, body: string): Promise<Msg>;
  closed(): boolean;
};

const nobodyThere = 503;

/**
 * For questions whose answers do not tell what they answer, so that the driver would subscribe anew for each. `timeoutMs` is how long each answer is waited for:
 * one that came later would be taken for the answer to another question, which is why nothing is asked after it.
 */
export const openMailbox = (connection: NatsConnection, timeoutMs: number): Mailbox => {
  const inbox = createInbox();
  let awaited: PromiseWithResolvers<Msg> | undefined;
  let closed = false;
  const subscription = connection.subscribe(inbox, { callback: (error, message) => (error ? awaited?.reject(error) : awaited?.resolve(message)) });
  const close = (): void => {
    if (closed) return;
    closed = true;
    subscription.unsubscribe();
  };

  return {
    ask: async (subject, body) => {
      if (awaited) throw new Error('a question is asked once the one before has been answered');
      const answer = Promise.withResolvers<Msg>();
      awaited = answer;
      const timer = setTimeout(() => answer.reject(new errors.TimeoutError()), timeoutMs);
      try {
        connection.publish(subject, body, { reply: inbox });
        const message = await answer.promise;
        if (message.data.length === 0 && message.headers?.code === nobodyThere) throw new errors.NoRespondersError(subject);
        return message;
      } catch (error) {
        close();
        throw error;
      } finally {
        clearTimeout(timer);
        awaited = undefined;
      }
    },
    closed: () => closed || connection.isClosed(),
  };
};
