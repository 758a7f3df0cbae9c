/**
 * Hyphenation patterns as the npm package `hyphen` has them: the levels that a pattern can have, a trie from letters to
 * indexes of levels, and the break positions of words that are exceptions. `.` is the start or end of a word.
 */
export type Patterns = [levels: number[][], trie: PatternTrie, exceptions: Record<string, number[]>];
type PatternTrie = { [letter: string]: PatternNode };
type PatternNode = number | PatternTrie | [PatternTrie, number];

/** `levels[n]` is the level of a break before the letter `n`. Odd levels allow it, even ones forbid it. */
type Pattern = { letters: string; levels: number[] };

const partsOf = (node: PatternNode): { children: PatternTrie; levelIndex?: number } => {
  if (typeof node === 'number') return { children: {}, levelIndex: node };
  return Array.isArray(node) ? { children: node[0], levelIndex: node[1] } : { children: node };
};

function* patternsOf(levels: number[][], trie: PatternTrie, path = ''): Generator<Pattern> {
  for (const [letter, node] of Object.entries(trie)) {
    const letters = path + letter;
    const { children, levelIndex } = partsOf(node);
    // The package does not count the start of the word.
    const start = letters.startsWith('.') ? [0] : [];
    if (levelIndex !== undefined) yield { letters, levels: [...start, ...levels[levelIndex]!] };
    yield* patternsOf(levels, children, letters);
  }
}

const exceptionLevels = { allowed: 9, forbidden: 8 };

/** The package counts the hyphens before a break position, too. */
const exceptionPattern = ([word, positions]: [string, number[]]): Pattern => {
  const breaks = new Set(positions.map((position, index) => position - index));
  const level = (position: number): number =>
    breaks.has(position) ? exceptionLevels.allowed : exceptionLevels.forbidden;
  return { letters: `.${word}.`, levels: [0, ...Array.from(word, (_, position) => level(position))] };
};

/** Code 0 is the start and the end of a word; upper-case letters have the code of their lower-case letter. */
const codesOf = (patterns: readonly Pattern[]): Map<string, number> => {
  const letters = [...new Set(patterns.flatMap((pattern) => Array.from(pattern.letters)))].filter(
    (letter) => letter !== '.',
  );
  const codes = new Map(letters.toSorted().map((letter, index) => [letter, index + 1]));
  for (const [letter, code] of [...codes])
    for (const variant of [letter.toUpperCase(), ...(letter === "'" ? ['’'] : [])])
      if (variant.length === 1 && !codes.has(variant)) codes.set(variant, code);
  return codes.set('.', 0);
};

type Node = { pattern: number; edges: [code: number, node: Node][]; id: number };
type BuildNode = { pattern: number; edges: Map<number, BuildNode> };

/** The trie with equal parts shared, so that it fits into 32 bits for each edge. The root is the last node. */
const shareEqualNodes = (root: BuildNode): Node[] => {
  const nodes = new Map<string, Node>();
  const share = (node: BuildNode): Node => {
    const edges = [...node.edges]
      .toSorted(([a], [b]) => a - b)
      .map(([code, child]): [number, Node] => [code, share(child)]);
    const key = `${node.pattern}:${edges.map(([code, child]) => `${code}-${child.id}`).join()}`;
    const known = nodes.get(key) ?? { pattern: node.pattern, edges, id: nodes.size };
    nodes.set(key, known);
    return known;
  };
  share(root);
  return [...nodes.values()];
};

type PackedTrie = { nodes: Node[]; indexes: Map<Node, number>; size: number };

/** How many slots before the last node with as many edges the search for a free slot begins. */
const searchWindow = 64;

/** Gives each node an index so that no two edges have the same slot: an edge has the slot of its node plus its code. */
const packNodes = (nodes: Node[], maxCode: number): PackedTrie => {
  const capacity = nodes.reduce((sum, { edges }) => sum + edges.length + 1, maxCode) * 2;
  const [edgeSlots, nodeSlots] = [new Uint8Array(capacity), new Uint8Array(capacity)];
  const indexes = new Map<Node, number>();
  const lastIndexes: number[] = [];
  const isFree = (index: number, { edges }: Node): boolean => {
    if (nodeSlots[index] === 1) return false;
    for (const [code] of edges) if (edgeSlots[index + code] === 1) return false;
    return true;
  };
  const root = nodes.at(-1)!;
  const withMostEdgesFirst = nodes.filter((node) => node !== root).toSorted((a, b) => b.edges.length - a.edges.length);
  let size = 0;
  for (const node of [root, ...withMostEdgesFirst]) {
    let index = node === root ? 0 : Math.max(0, (lastIndexes[node.edges.length] ?? 0) - searchWindow);
    while (!isFree(index, node)) index += 1;
    lastIndexes[node.edges.length] = index;
    nodeSlots[index] = 1;
    for (const [code] of node.edges) edgeSlots[index + code] = 1;
    indexes.set(node, index);
    size = Math.max(size, index + maxCode + 1);
  }
  return { nodes, indexes, size };
};

const bitsFor = (values: number): number => Math.max(1, Math.ceil(Math.log2(values)));

/** 32-bit integers, least significant byte first. */
const words = (...values: number[]): Buffer => {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => buffer.writeUInt32LE(value >>> 0, index * 4));
  return buffer;
};

const encodeAlphabet = (codes: ReadonlyMap<string, number>): Buffer => {
  const entries = [...codes]
    .filter(([, code]) => code > 0)
    .map(([letter, code]) => ((letter.codePointAt(0)! << 11) | code) >>> 0)
    .toSorted((a, b) => a - b);
  return words(1, entries.length, ...entries);
};

const encodeTrie = ({ nodes, indexes, size }: PackedTrie, maxCode: number, patternCount: number): Buffer => {
  const codeBits = bitsFor(maxCode + 1);
  const linkBits = bitsFor(size);
  if (codeBits + linkBits + bitsFor(patternCount) > 32) throw new RangeError('too many patterns for a dictionary');
  const patternShift = codeBits + linkBits;
  const data = new Uint32Array(size);
  for (const node of nodes) {
    const index = indexes.get(node)!;
    data[index]! |= node.pattern << patternShift;
    for (const [code, child] of node.edges) data[index + code]! |= code | (indexes.get(child)! << codeBits);
  }
  const linkMask = (2 ** linkBits - 1) * 2 ** codeBits;
  return words(0, 2 ** codeBits - 1, codeBits, linkMask, patternShift, size, ...data);
};

/** Distinct levels without leading and trailing zeros; number 0 is no pattern. */
const createLevelTable = () => {
  const entries = [0];
  const numbers = new Map<string, number>();
  const pool: number[] = [];
  return {
    /** @returns the number of the levels of a pattern of `length` letters */
    add: (levels: readonly number[], length: number): number => {
      const padded = Array.from({ length: length + 1 }, (_, index) => levels[index] ?? 0);
      const start = padded.findIndex((level) => level > 0);
      if (start < 0) return 0;
      const end = padded.findLastIndex((level) => level > 0) + 1;
      const trimmed = padded.slice(start, end);
      const key = `${trimmed.join()}/${padded.length - end}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      entries.push(((trimmed.length << 26) | ((padded.length - end) << 20) | pool.length) >>> 0);
      pool.push(...trimmed);
      numbers.set(key, entries.length - 1);
      return entries.length - 1;
    },
    count: () => entries.length,
    encode: (): Buffer => {
      const head = words(0, entries.length, 16 + 4 * entries.length, pool.length, ...entries);
      return Buffer.concat([head, Buffer.from(pool)]);
    },
  };
};

const addPattern = (root: BuildNode, codes: readonly number[], pattern: number): void => {
  let node = root;
  for (const code of codes) {
    const child = node.edges.get(code) ?? { pattern: 0, edges: new Map<number, BuildNode>() };
    node.edges.set(code, child);
    node = child;
  }
  node.pattern = pattern;
};

const padToWord = (buffer: Buffer): Buffer => Buffer.concat([buffer, Buffer.alloc(-buffer.length & 3)]);

/** Longer patterns do not fit into the format. */
const maxLetters = 62;

/**
 * Compiles hyphenation patterns to the dictionary format of Chromium (`.hyb`, described in Android's
 * frameworks/minikin/doc/hyb_file_format.md).
 * @throws RangeError if there are too many patterns for the format
 */
export const compileDictionary = ([levels, trie, exceptions]: Patterns): Buffer => {
  const patterns = [...patternsOf(levels, trie), ...Object.entries(exceptions).map(exceptionPattern)];
  const codes = codesOf(patterns);
  const maxCode = Math.max(...codes.values());
  const table = createLevelTable();
  const root: BuildNode = { pattern: 0, edges: new Map() };
  for (const pattern of patterns) {
    const letterCodes = Array.from(pattern.letters, (letter) => codes.get(letter)!);
    if (letterCodes.length <= maxLetters) addPattern(root, letterCodes, table.add(pattern.levels, letterCodes.length));
  }
  const packed = packNodes(shareEqualNodes(root), maxCode);
  const alphabet = padToWord(encodeAlphabet(codes));
  const encodedTrie = encodeTrie(packed, maxCode, table.count());
  const encodedLevels = table.encode();
  const headerSize = 24;
  const trieOffset = headerSize + alphabet.length;
  const levelsOffset = trieOffset + encodedTrie.length;
  const fileSize = levelsOffset + encodedLevels.length;
  const header = words(0x62ad7968, 0, headerSize, trieOffset, levelsOffset, fileSize);
  return Buffer.concat([header, alphabet, encodedTrie, encodedLevels]);
};
