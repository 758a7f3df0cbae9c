const space = String.raw`\0\t\n\f\r `;
const regular = String.raw`[^${space}()<>[\]{}/%]`;
/** The operators that can come after an image (ISO 32000-1, 8.2). */
const operators = [
  'q|Q|cm|w|J|j|M|d|ri|i|gs|CS|cs|SCN?|scn?|G|g|RG|rg|K|k|sh|Do|BI',
  'm|re|BT|ET|Tc|Tw|Tz|TL|Tf|Tr|Ts|BMC|BDC|EMC|MP|DP|BX|EX',
].join('|');
const operand = String.raw`(?:[-+.\d/]${regular}*(?!${regular})|[[\]])`;
const comment = String.raw`(?:%[\t -~]{0,80}[\n\r][${space}]*)?`;
const operation = `(?:${operand}[${space}]*){0,8}(?:<<|(?:${operators})(?!${regular}))`;

const end = new RegExp(`[${space}]*EI(?!${regular})`, 'y');
/** Compressed bytes may contain `EI`: then no plain operator follows. */
const likelyEnd = new RegExp(`EI(?=[${space}]*$|[${space}]+${comment}${operation})`, 'g');

const components: Readonly<Record<string, number>> = {
  ...{ '/G': 1, '/RGB': 3, '/CMYK': 4, '/I': 1 },
  ...{ '/DeviceGray': 1, '/DeviceRGB': 3, '/DeviceCMYK': 4, '/Indexed': 1 },
};

const nesting: Readonly<Record<string, number>> = { '[': 1, '<<': 1, ']': -1, '>>': -1 };

/** The entries of the dictionary of an inline image, each with the names and numbers of its value. */
const readEntries = (operands: readonly string[]): Map<string, string[]> => {
  const entries = new Map<string, string[]>();
  for (let at = 0; at < operands.length; at += 1) {
    const value: string[] = [];
    entries.set(operands[at]!, value);
    let depth = 0;
    do {
      at += 1;
      const text = operands[at] ?? '';
      depth += nesting[text] ?? 0;
      if (!nesting[text]) value.push(text);
    } while (depth > 0 && at < operands.length);
  }
  return entries;
};

/** The position after the data of an inline image, if its dictionary says it (ISO 32000-1, 8.9.7); otherwise null. */
const dataEnd = (content: string, start: number, operands: readonly string[]): number | null => {
  const entries = readEntries(operands);
  const first = (short: string, long: string): string | undefined => (entries.get(short) ?? entries.get(long))?.[0];
  const afterMark = (mark: string): number | null => {
    const at = content.indexOf(mark, start);
    return at < 0 ? null : at + mark.length;
  };
  const filter = first('/F', '/Filter');
  if (filter === '/AHx' || filter === '/ASCIIHexDecode') return afterMark('>');
  if (filter === '/A85' || filter === '/ASCII85Decode') return afterMark('~>');
  if (filter) return null;
  const isMask = first('/IM', '/ImageMask') === 'true';
  const bits = isMask ? 1 : Number(first('/BPC', '/BitsPerComponent')) * components[first('/CS', '/ColorSpace') ?? '']!;
  const bytes = Math.ceil((Number(first('/W', '/Width')) * bits) / 8) * Number(first('/H', '/Height'));
  // One white space is between `ID` and the data.
  return bytes >= 0 && bytes < content.length ? start + 1 + bytes : null;
};

/**
 * The position after an inline image in a content stream (one character for each byte); null if it has no end. `start`
 * is the position after `ID`, `operands` are those between `BI` and `ID`.
 */
export const inlineImageEnd = (content: string, start: number, operands: readonly string[]): number | null => {
  end.lastIndex = dataEnd(content, start, operands) ?? content.length;
  if (end.test(content)) return end.lastIndex;
  likelyEnd.lastIndex = start;
  return likelyEnd.test(content) ? likelyEnd.lastIndex : null;
};
