import { writeSync } from 'node:fs';
import { openMongoReadStore } from '#libs/read-store/mongodb.ts';
import { counterCollections, counterModel, projectNextEvent } from '../read-store/counter-projection.ts';

// This file is a program: it projects until it is killed, and writes a line for each event.

const { url } = JSON.parse(process.argv[2]!) as { url: string };
const reads = await openMongoReadStore(url, counterCollections);
for (;;) {
  await projectNextEvent(reads);
  writeSync(1, `${await reads.checkpoint(counterModel)}\n`);
}
