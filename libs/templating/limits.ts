/**
 * What a template may hold and do. Chosen so that reading the largest allowed template takes well under a second and
 * stays within tens of megabytes.
 */
export const templateLimits = {
  /** Opening braces in a template. */
  tags: 20_000,
  /** Characters between braces, comments apart, in the whole template. */
  tagCharacters: 200_000,
  /** Blocks within blocks; a chain of `else if` counts one for each. */
  depth: 100,
  /** Parentheses in one placeholder. */
  parentheses: 50,
  /** Statements and loop rounds carried out in one expansion; what helpers do counts by its cost. */
  steps: 5_000_000,
  /** Findings told about one template. */
  findings: 50,
  /** Parts of a path that are compared with the declared variables. */
  comparedParts: 50,
  /** Characters of a format given to formatDate. */
  dateFormat: 100,
  /** Characters of a variable's path told beside a message. */
  pathCharacters: 500,
  /** Characters of a name or text shown in a message. */
  messageCharacters: 80,
  /** Bytes that all templates kept in compiled form take, about. */
  cachedBytes: 32_000_000,
} as const;

/** The bounds on one template and on one expansion of it. */
export type TemplateLimits = Record<'tags' | 'tagCharacters' | 'depth' | 'parentheses' | 'steps', number>;
