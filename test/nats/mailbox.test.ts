import { connect, errors, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMailbox } from '#libs/bus/jetstream/mailbox.ts';
import { isNatsThere, type NatsServer, startNats } from './server.ts';

const soonMs = 50;
const longMs = 20_000;

describe.skipIf(!isNatsThere)('A mailbox for questions to NATS', () => {
  let server: NatsServer;
  let asking: NatsConnection;
  let answering: NatsConnection;
  beforeAll(async () => {
    server = await startNats();
    [asking, answering] = await Promise.all([connect({ servers: server.url }), connect({ servers: server.url })]);
  });
  afterAll(async () => {
    await Promise.all([asking.close(), answering.close()]);
    await server.remove();
  });

  it('gives each question its answer, under whatever subject that comes', async () => {
    answering.subscribe('double', { callback: (_, message) => answering.publish(message.reply!, `${message.string()}${message.string()}`) });
    await answering.flush();
    const box = openMailbox(asking, longMs);
    for (const text of ['a', 'b', 'c']) expect((await box.ask('double', text)).string()).toBe(text + text);
    expect(box.closed()).toBe(false);
  });

  it('is closed once an answer does not come in time, so that a late one is taken for no other', async () => {
    const heard: Msg[] = [];
    answering.subscribe('silent', { callback: (_, message) => void heard.push(message) });
    await answering.flush();
    const box = openMailbox(asking, soonMs);
    await expect(box.ask('silent', 'first')).rejects.toThrow(errors.TimeoutError);
    expect(box.closed()).toBe(true);
    const next = openMailbox(asking, longMs);
    const second = next.ask('silent', 'second');
    await expect.poll(() => heard.length).toBe(2);
    heard[0]!.respond('to the first');
    heard[1]!.respond('to the second');
    expect((await second).string()).toBe('to the second');
  });

  it('says at once where nobody is there to answer', async () => {
    const box = openMailbox(asking, longMs);
    await expect(box.ask('nobody', '')).rejects.toThrow(errors.NoRespondersError);
    expect(box.closed()).toBe(true);
  });

  it('takes no second question before the first is answered', async () => {
    const box = openMailbox(asking, longMs);
    answering.subscribe('slow', { callback: (_, message) => void message.respond(message.data) });
    await answering.flush();
    const first = box.ask('slow', 'first');
    await expect(box.ask('slow', 'second')).rejects.toThrow('once the one before has been answered');
    expect((await first).string()).toBe('first');
    expect((await box.ask('slow', 'third')).string()).toBe('third');
  });

  it('is closed with its connection', async () => {
    const own = await connect({ servers: server.url });
    const box = openMailbox(own, longMs);
    await own.close();
    expect(box.closed()).toBe(true);
  });
});
