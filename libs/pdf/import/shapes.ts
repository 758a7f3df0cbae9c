/** What the copy of a value keeps: `data` keeps all but what could act or lead outside of the file. */
export type Shape =
  | 'data'
  | 'named'
  | 'resources'
  | 'fonts'
  | 'font'
  | 'fontList'
  | 'glyphs'
  | 'xObjects'
  | 'xObject'
  | 'states'
  | 'state'
  | 'softMask'
  | 'patterns'
  | 'pattern'
  | 'properties';

const data = (...keys: string[]): Record<string, Shape> => Object.fromEntries(keys.map((key) => [key, 'data']));

/** Dictionaries whose keys are names that content uses, and the shape of their values. */
export const namedShapes: Partial<Record<Shape, Shape>> = {
  named: 'data',
  fonts: 'font',
  glyphs: 'data',
  xObjects: 'xObject',
  states: 'state',
  patterns: 'pattern',
  properties: 'data',
};

/** The keys that are kept of a dictionary or a stream of a shape, and their shapes (ISO 32000-1, 7.8.3). */
export const shapes: Partial<Record<Shape, Record<string, Shape>>> = {
  resources: {
    ProcSet: 'data',
    ColorSpace: 'named',
    Shading: 'named',
    ExtGState: 'states',
    Pattern: 'patterns',
    XObject: 'xObjects',
    Font: 'fonts',
    Properties: 'properties',
  },
  font: {
    ...data('Type', 'Subtype', 'BaseFont', 'Name', 'FirstChar', 'LastChar', 'Widths', 'FontDescriptor', 'Encoding'),
    ...data('ToUnicode', 'CIDSystemInfo', 'DW', 'W', 'DW2', 'W2', 'CIDToGIDMap', 'FontBBox', 'FontMatrix'),
    DescendantFonts: 'fontList',
    CharProcs: 'glyphs',
    Resources: 'resources',
  },
  xObject: {
    ...data('Type', 'Subtype', 'Name', 'Intent'),
    ...data('Width', 'Height', 'ColorSpace', 'BitsPerComponent', 'ImageMask', 'Mask', 'Decode', 'Interpolate'),
    ...data('SMaskInData', 'Matte'),
    SMask: 'xObject',
    ...data('FormType', 'BBox', 'Matrix', 'Group'),
    Resources: 'resources',
  },
  state: {
    ...data('Type', 'LW', 'LC', 'LJ', 'ML', 'D', 'RI', 'OP', 'op', 'OPM', 'BG', 'BG2', 'UCR', 'UCR2', 'TR', 'TR2'),
    ...data('HT', 'FL', 'SM', 'SA', 'BM', 'CA', 'ca', 'AIS', 'TK', 'Font'),
    SMask: 'softMask',
  },
  softMask: { ...data('Type', 'S', 'BC', 'TR'), G: 'xObject' },
  pattern: {
    ...data('Type', 'PatternType', 'PaintType', 'TilingType', 'BBox', 'XStep', 'YStep', 'Matrix', 'Shading'),
    ExtGState: 'state',
    Resources: 'resources',
  },
};

/** What no copied dictionary keeps: actions, files, and links to what is not copied. */
export const forbiddenKeys: ReadonlySet<string> = new Set([
  ...['A', 'AA', 'JS', 'JavaScript', 'OpenAction', 'Launch', 'URI', 'Next', 'Win', 'Mac', 'Unix'],
  ...['EF', 'AF', 'EmbeddedFiles', 'Filespec', 'XFA', 'RichMediaContent', 'Movie', 'Sound', 'Rendition'],
  ...['Metadata', 'PieceInfo', 'OPI', 'Ref', 'Alternates', 'Annots', 'Parent', 'P', 'StructParent', 'StructParents'],
  ...['OC', 'OCGs', 'OCMDs', 'PS', 'LastModified'],
]);

/** The keys of a stream that belong to its encoding, or lead to another file. */
export const encodingKeys: ReadonlySet<string> = new Set([
  ...['Length', 'Filter', 'DecodeParms', 'F', 'FFilter', 'FDecodeParms', 'DL'],
]);
