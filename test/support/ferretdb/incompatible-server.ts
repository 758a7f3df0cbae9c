import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/** A server that is not a usable MongoDB. `onConnection` handles its connections. */
export const startIncompatibleServer = async (
  onConnection: (socket: Socket) => void,
): Promise<{ host: string; close(): void }> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
};

const headerBytes = 16;
const opReply = 1;

/** The reply to the first message of a connection, in the format of versions before 3.6. */
const legacyReply = (to: number, document: object): Buffer => {
  const body = BSON.serialize(document);
  const message = Buffer.alloc(headerBytes + 20 + body.byteLength);
  [message.byteLength, 1, to, opReply].forEach((value, index) => message.writeInt32LE(value, index * 4));
  message.writeInt32LE(1, headerBytes + 16);
  message.set(body, headerBytes + 20);
  return message;
};

/** Replies like MongoDB 3.2. */
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
