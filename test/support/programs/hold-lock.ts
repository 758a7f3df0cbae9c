import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// This file is a program: it holds the write lock of a database file until it gets a line on standard input.

const { file } = JSON.parse(process.argv[2]!) as { file: string };
const database = new DatabaseSync(file, { timeout: 10_000 });
database.exec('BEGIN IMMEDIATE');
writeSync(1, 'locked\n');
await once(process.stdin, 'data');
database.exec('ROLLBACK');
database.close();
process.stdin.destroy();
