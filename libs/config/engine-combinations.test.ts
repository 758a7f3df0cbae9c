import { expect, test } from 'vitest';
import { describeProcessSharing, findCombinationProblems } from './engine-combinations.ts';

const files = { eventStoreUrl: 'sqlite:', busUrl: 'memory:', readStoreUrl: 'sqlite:', blobStoreUrl: 'file:' };
const servers = {
  eventStoreUrl: 'kurrentdb://host',
  busUrl: 'nats://host',
  readStoreUrl: 'mongodb://host',
  blobStoreUrl: 'gridfs:',
};

test('Event log, bus and read models must be all files or all servers; blobs can be either', () => {
  for (const blobStoreUrl of ['file:', 'gridfs://host/blobs'])
    for (const all of [files, servers]) expect(findCombinationProblems({ ...all, blobStoreUrl })).toEqual([]);
  for (const name of ['eventStoreUrl', 'busUrl', 'readStoreUrl'] as const) {
    expect(findCombinationProblems({ ...servers, [name]: files[name] })).toHaveLength(1);
    expect(findCombinationProblems({ ...files, [name]: servers[name] })).toHaveLength(1);
  }
});

test('The error names the settings that are files, those that are servers, and what is allowed', () => {
  expect(findCombinationProblems({ ...servers, readStoreUrl: 'sqlite:' })[0]).toMatch(
    new RegExp(
      '^EVENT_STORE_URL and BUS_URL name servers, but READ_STORE_URL names a file of this machine, .* ' +
        'allowed is sqlite:, memory: and sqlite:, or kurrentdb://, nats:// and mongodb://\\.$',
    ),
  );
  expect(findCombinationProblems({ ...files, eventStoreUrl: 'esdb://host' })[0]).toMatch(
    /^EVENT_STORE_URL names a server, but BUS_URL and READ_STORE_URL name files of this machine/,
  );
});

test('Blobs in the MongoDB of the read models need read models on a server', () => {
  expect(findCombinationProblems({ ...files, blobStoreUrl: 'gridfs:' })[0]).toMatch(
    /^BLOB_STORE_URL is gridfs: without a host, .* allowed is gridfs:\/\/host\/database, or file:\.$/,
  );
});

test('For each allowed combination the log says which processes can work together', () => {
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
