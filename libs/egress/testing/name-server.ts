import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import type { DnsClient } from '../dns.ts';

/** An IPv4 address with its TTL in seconds; `absent`: the name does not exist; `silent`: no response. */
export type NameRecord = { address: string; ttl?: number } | 'absent' | 'silent';

export type NameServer = {
  /** How many queries came for a name, A and AAAA together. */
  queryCount: (name: string) => number;
  /** Creates a client that queries only this server. */
  createDnsClient: () => DnsClient;
  /** How many clients were made. */
  clientCount: () => number;
  /** The queries of all clients that are neither answered nor cancelled. */
  pendingQueryCount: () => number;
  close: () => Promise<void>;
};

const parseQuestionName = (query: Buffer): { name: string; end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
};

const typeA = 1;

/** The response to one question (RFC 1035, 4.1). */
const dnsResponse = (query: Buffer, record: Exclude<NameRecord, 'silent'>, end: number): Buffer => {
  const isA = query.readUInt16BE(end) === typeA;
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(record === 'absent' ? 0x8183 : 0x8180, 2);
  const answers = record !== 'absent' && isA ? 1 : 0;
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers, 6);
  head.writeUInt32BE(0, 8);
  const question = query.subarray(12, end + 4);
  if (record === 'absent' || !isA) return Buffer.concat([head, question]);
  const body = Buffer.alloc(16);
  body.writeUInt16BE(0xc00c, 0);
  body.writeUInt16BE(typeA, 2);
  body.writeUInt16BE(1, 4);
  body.writeUInt32BE(record.ttl ?? 60, 6);
  body.writeUInt16BE(4, 10);
  body.set(record.address.split('.').map(Number), 12);
  return Buffer.concat([head, question, body]);
};

const dnsFailureResponse = (query: Buffer, end: number): Buffer => {
  const response = dnsResponse(query, 'absent', end);
  response.writeUInt16BE(0x8182, 2);
  return response;
};

/**
 * Starts a name server on a free loopback port. It responds at once or never. `ipv6` is what it does with AAAA queries.
 * Clients repeat a query after `repeatAfterMs`; on a busy machine also one whose response they have not read yet.
 */
export const startNameServer = async (
  recordOf: (name: string) => NameRecord,
  { ipv6 = 'responds', repeatAfterMs = 200 }: { ipv6?: 'responds' | 'fails' | 'silent'; repeatAfterMs?: number } = {},
): Promise<NameServer> => {
  const counts = new Map<string, number>();
  let clients = 0;
  let pendingQueries = 0;
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, end } = parseQuestionName(query);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const record = recordOf(name);
    const behaviour = query.readUInt16BE(end) === typeA ? 'responds' : ipv6;
    if (behaviour === 'silent') return;
    if (behaviour === 'fails') socket.send(dnsFailureResponse(query, end), port, address);
    else if (record !== 'silent') socket.send(dnsResponse(query, record, end), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  return {
    queryCount: (name) => counts.get(name) ?? 0,
    clientCount: () => clients,
    pendingQueryCount: () => pendingQueries,
    createDnsClient: () => {
      const client = new Resolver({ timeout: repeatAfterMs, maxTimeout: repeatAfterMs, tries: 100 });
      client.setServers([`127.0.0.1:${port}`]);
      clients += 1;
      const counted = <T>(query: Promise<T>): Promise<T> => {
        pendingQueries += 1;
        return query.finally(() => (pendingQueries -= 1));
      };
      return {
        resolve4: ((name: string) => counted(client.resolve4(name, { ttl: true }))) as unknown as DnsClient['resolve4'],
        resolve6: ((name: string) => counted(client.resolve6(name, { ttl: true }))) as unknown as DnsClient['resolve6'],
        cancel: () => client.cancel(),
      };
    },
    close: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
};
