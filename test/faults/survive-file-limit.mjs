// Node ends at SIGXFSZ unless somebody hears it; then a write beyond the limit fails with EFBIG.
process.on('SIGXFSZ', () => undefined);
