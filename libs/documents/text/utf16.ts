/** True for bytes that begin with a UTF-16 byte order mark, or whose beginning has a NUL in every other place. */
export const looksLikeUtf16 = (bytes: Uint8Array): boolean => {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  const sample = bytes.subarray(0, Math.min(64, bytes.length & ~1));
  return sample.length >= 4 && (zerosAlternate(sample, 0) || zerosAlternate(sample, 1));
};

const zerosAlternate = (sample: Uint8Array, phase: 0 | 1): boolean => sample.every((byte, index) => (byte === 0) === (index % 2 === phase));
