// Without a listener SIGXFSZ ends Node; with one, a write beyond the limit fails with EFBIG.
process.on('SIGXFSZ', () => undefined);
