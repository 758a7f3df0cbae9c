/** A number as `s15Fixed16Number` (ICC.1:2022, 4.6). */
const fixed = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(Math.round(value * 65_536));
  return bytes;
};
const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
const uint32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
};

const xyz = (values: readonly number[]): Buffer => Buffer.concat([ascii('XYZ \0\0\0\0'), ...values.map(fixed)]);
const text = (content: string): Buffer => {
  const utf16 = Buffer.from(content, 'utf16le').swap16();
  return Buffer.concat([ascii('mluc\0\0\0\0'), uint32(1, 12), ascii('enUS'), uint32(utf16.length, 28), utf16]);
};

/** The tone curve of sRGB (IEC 61966-2-1): gamma and the parameters a, b, c, d of function 3. */
const toneCurve = Buffer.concat([
  ascii('para\0\0\0\0\0\x03\0\0'),
  ...[2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].map(fixed),
]);
/** From D65 to D50, by the Bradford transform. */
const adaptation = [
  1.0478112, 0.0228866, -0.050127, 0.0295424, 0.9904844, -0.0170491, -0.0092345, 0.0150436, 0.7521316,
];
const whitePoint = [0.9642029, 1, 0.8249054];

const tags: readonly (readonly [signature: string, data: Buffer])[] = [
  ['desc', text('sRGB IEC61966-2.1')],
  ['cprt', text('No copyright, use freely')],
  ['wtpt', xyz(whitePoint)],
  ['chad', Buffer.concat([ascii('sf32\0\0\0\0'), ...adaptation.map(fixed)])],
  ['rXYZ', xyz([0.4360747, 0.2225045, 0.0139322])],
  ['gXYZ', xyz([0.3850649, 0.7168786, 0.0971045])],
  ['bXYZ', xyz([0.1430804, 0.0606169, 0.7141733])],
  ['rTRC', toneCurve],
  ['gTRC', toneCurve],
  ['bTRC', toneCurve],
];

const headerBytes = 128;

const header = (size: number): Buffer => {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeUInt32BE(size, 0);
  // Version 4.3.
  bytes.writeUInt32BE(0x0430_0000, 8);
  bytes.write('mntrRGB XYZ ', 12, 'latin1');
  // A fixed date of creation: 2026-01-01.
  bytes.writeUInt16BE(2026, 24);
  bytes.writeUInt16BE(1, 26);
  bytes.writeUInt16BE(1, 28);
  bytes.write('acsp', 36, 'latin1');
  Buffer.concat([0.9642, 1, 0.8249].map(fixed)).copy(bytes, 68);
  return bytes;
};

const padded = (data: Buffer): Buffer => Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);

/** The ICC profile of sRGB, the colour space of all that the browser prints. */
export const srgbProfile = (): Buffer => {
  const tableBytes = 4 + 12 * tags.length;
  const table = [uint32(tags.length)];
  const parts: Buffer[] = [];
  let offset = headerBytes + tableBytes;
  for (const [signature, data] of tags) {
    table.push(ascii(signature), uint32(offset, data.length));
    parts.push(padded(data));
    offset += parts.at(-1)!.length;
  }
  return Buffer.concat([header(offset), ...table, ...parts]);
};
