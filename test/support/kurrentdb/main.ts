import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openStandInEventLog } from './stand-in-event-log.ts';
import { startKurrentDbStandIn } from './server.ts';

// This file is a program: the KurrentDB stand-in as a process, which tests can kill, stop and start again on the same port and file.

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    data: { type: 'string' },
    key: { type: 'string' },
    cert: { type: 'string' },
    credentials: { type: 'string' },
    version: { type: 'string' },
    parent: { type: 'string' },
  },
});

const textOf = (file: string): string => readFileSync(file, 'utf8');
const { endpoint } = await startKurrentDbStandIn({
  eventLog: openStandInEventLog(values.data === undefined ? {} : { file: values.data }),
  port: Number(values.port),
  ...(values.key !== undefined &&
    values.cert !== undefined && { tls: { key: textOf(values.key), cert: textOf(values.cert) } }),
  ...(values.credentials !== undefined && { credentials: values.credentials }),
  ...(values.version !== undefined && { version: values.version }),
});
console.log(`listening on ${endpoint.port}`);

// With --parent, the process ends when its parent has ended.
const parentCheckMs = 500;
if (values.parent !== undefined)
  setInterval(() => process.ppid !== Number(values.parent) && process.exit(), parentCheckMs);
