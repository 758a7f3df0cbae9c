import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/** A server that is no MongoDB as it should be: `meet` is what it does with a connection. */
export const startIncompatibleServer = async (
  meet: (socket: Socket) => void,
): Promise<{ host: string; close(): void }> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    meet(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
};

const headerBytes = 16;
const opReply = 1;

/** The answer to the first message of a connection, in the form of before version 3.6. */
const legacyReply = (to: number, document: object): Buffer => {
  const body = BSON.serialize(document);
  const message = Buffer.alloc(headerBytes + 20 + body.byteLength);
  [message.byteLength, 1, to, opReply].forEach((value, index) => message.writeInt32LE(value, index * 4));
  message.writeInt32LE(1, headerBytes + 16);
  message.set(body, headerBytes + 20);
  return message;
};

/** Says of itself what MongoDB 3.2 did. */
export const respondAsOldServer = (socket: Socket): void =>
  void socket.on('data', (message: Buffer) =>
    socket.write(
      legacyReply(message.readInt32LE(4), {
        ismaster: true,
        maxBsonObjectSize: 16_777_216,
        minWireVersion: 0,
        maxWireVersion: 4,
        ok: 1,
      }),
    ),
  );
