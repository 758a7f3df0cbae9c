const mebibyte = 2 ** 20;

/** What one PDF may contain. Its author decides all of it, so that each number has a limit. */
export const importLimits = {
  /** Objects that are nested in each other within one indirect object. */
  depth: 100,
  /** Values of any kind: numbers, names, strings, dictionaries. */
  values: 10_000_000,
  /** The decoded length of one stream that is read here. */
  streamBytes: 128 * mebibyte,
  /** The decoded length of all streams that are read here. */
  allStreamBytes: 1024 * mebibyte,
  /** The decoded length of an image, which is not read here but checked. */
  imageBytes: 2048 * mebibyte,
  outlineItems: 100_000,
  outlineDepth: 100,
  destinations: 500_000,
};
