/**
 * Limits for a template and its expansion. Parsing the largest allowed template takes well under a second and tens of
 * megabytes.
 */
export const templateLimits = {
  /** Opening braces in a template. */
  tags: 20_000,
  /** Characters between braces in the whole template, without comments. */
  tagCharacters: 200_000,
  /** Nested blocks; each `else if` of a chain counts as one. */
  depth: 100,
  /** Parentheses in one placeholder. */
  parentheses: 50,
  /** Statements and loop iterations in one expansion; a helper call counts by its cost. */
  steps: 5_000_000,
  /** Findings reported for one template. */
  findings: 50,
  /** Parts of a path that are compared with the declared variables. */
  comparedParts: 50,
  /** Characters of a format for formatDate. */
  dateFormat: 100,
  /** Characters of a variable's path in an error. */
  pathCharacters: 500,
  /** Problems of the data that an expansion reports. */
  problems: 50,
  /** Characters of all paths in `missing_variables`. */
  missingPathCharacters: 5_000,
  /** Characters of a name or text in a message. */
  messageCharacters: 80,
  /** Approximate memory of all cached compiled templates, in bytes. */
  cachedBytes: 32_000_000,
} as const;

export type TemplateLimits = Record<'tags' | 'tagCharacters' | 'depth' | 'parentheses' | 'steps', number>;
