import { writeSync } from 'node:fs';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { collections, model, steps } from './mongodb-counters.ts';

// This file is a program: it counts until it is killed, and writes a line for each step.

const { url, kind } = JSON.parse(process.argv[2]!) as { url: string; kind: keyof typeof steps };
const reads = await openMongoReadStore(url, collections);
for (;;) {
  await steps[kind](reads);
  writeSync(1, `${await reads.checkpoint(model)}\n`);
}
