import { expect, test } from 'vitest';
import { describeProcessSharing, findCombinationProblems } from './engine-combinations.ts';

const files = { eventStoreUrl: 'sqlite:', busUrl: 'memory:', readStoreUrl: 'sqlite:', blobStoreUrl: 'file:' };
const servers = {
  eventStoreUrl: 'kurrentdb://host',
  busUrl: 'nats://host',
  readStoreUrl: 'mongodb://host',
  blobStoreUrl: 'gridfs:',
};

test('event log, bus and read models are all files or all servers, and blobs are either', () => {
  for (const blobStoreUrl of ['file:', 'gridfs://host/blobs'])
    for (const all of [files, servers]) expect(findCombinationProblems({ ...all, blobStoreUrl })).toEqual([]);
  for (const one of ['eventStoreUrl', 'busUrl', 'readStoreUrl'] as const) {
    expect(findCombinationProblems({ ...servers, [one]: files[one] })).toHaveLength(1);
    expect(findCombinationProblems({ ...files, [one]: servers[one] })).toHaveLength(1);
  }
});

test('what is wrong names the settings of both kinds, and what is allowed', () => {
  expect(findCombinationProblems({ ...servers, readStoreUrl: 'sqlite:' })[0]).toMatch(
    /^EVENT_STORE_URL and BUS_URL name servers, but READ_STORE_URL names a file of this machine, .* allowed is sqlite:, memory: and sqlite:, or kurrentdb:\/\/, nats:\/\/ and mongodb:\/\/\.$/,
  );
  expect(findCombinationProblems({ ...files, eventStoreUrl: 'esdb://host' })[0]).toMatch(
    /^EVENT_STORE_URL names a server, but BUS_URL and READ_STORE_URL name files of this machine/,
  );
});

test('blobs beside the read models need read models on a server', () => {
  expect(findCombinationProblems({ ...files, blobStoreUrl: 'gridfs:' })[0]).toMatch(
    /^BLOB_STORE_URL is gridfs: without a host, .* allowed is gridfs:\/\/host\/database, or file:\.$/,
  );
});

test('which processes can work together is said of each allowed combination', () => {
  expect(
    [files, { ...files, blobStoreUrl: 'gridfs://host' }, { ...servers, blobStoreUrl: 'file:' }, servers].map(
      describeProcessSharing,
    ),
  ).toEqual([
    expect.stringContaining('this one process'),
    expect.stringContaining('this one process'),
    expect.stringContaining('this machine with the same folder'),
    expect.stringContaining('any machines'),
  ]);
});
