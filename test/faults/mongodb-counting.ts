import { writeSync } from 'node:fs';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { collections, count, model } from './mongodb-counters.ts';

// This file is a program: it counts until it is killed, and writes a line for each step.

const { url } = JSON.parse(process.argv[2]!) as { url: string };
const reads = await openMongoReadStore(url, collections);
for (;;) {
  await count(reads);
  writeSync(1, `${await reads.checkpoint(model)}\n`);
}
