import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import type { ApiError } from '#contracts/http/api-error.ts';
import { maxDepth, inputError, nestedTooDeeplyError } from '../input.ts';

/**
 * A JSON value that keeps what the text contains: all keys, even repeated ones, in their order, and literals as
 * written.
 */
export type JsonValue =
  | { type: 'object'; entries: [key: string, value: JsonValue][] }
  | { type: 'array'; items: JsonValue[] }
  | { type: 'string'; text: string }
  | { type: 'number' | 'boolean' | 'null'; text: string };

export type JsonContainer = Extract<JsonValue, { type: 'object' | 'array' }>;

export const isContainer = (value: JsonValue): value is JsonContainer =>
  value.type === 'object' || value.type === 'array';

/** Parses JSON (RFC 8259) and keeps repeated keys and all digits of large numbers. @throws ApiError with the line */
export const parseJson = (text: string): JsonValue => {
  const open: JsonContainer[] = [];
  let root: JsonValue | undefined;
  let key = '';
  let values = 0;
  const add = (value: JsonValue): void => {
    values += 1;
    if (values > maxValues) throw tooManyValuesError();
    const parent = open.at(-1);
    if (!parent) root = value;
    else if (parent.type === 'array') parent.items.push(value);
    else parent.entries.push([key, value]);
    if (isContainer(value)) open.push(value);
  };
  const begin = (value: JsonContainer, line: number): void => {
    if (open.length >= maxDepth) throw nestedTooDeeplyError('json', line + 1);
    add(value);
  };
  const end = () => void open.pop();
  visit(
    text,
    {
      onObjectBegin: (_offset, _length, line) => begin({ type: 'object', entries: [] }, line),
      onArrayBegin: (_offset, _length, line) => begin({ type: 'array', items: [] }, line),
      onObjectEnd: end,
      onArrayEnd: end,
      onObjectProperty: (property) => void (key = property),
      onLiteralValue: (value, offset, length) => add(literal(value, text.slice(offset, offset + length))),
      onError: (code, _offset, _length, line, column) => {
        throw malformedJsonError(code, line + 1, column + 1);
      },
    },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
  );
  if (!root) throw inputError('json', 'The JSON is empty.', { details: 'empty', line: 1 });
  return root;
};

// Enough for the largest table that is printed.
const maxValues = 1_500_000;

const tooManyValuesError = (): ApiError =>
  inputError('json', `The JSON has more than ${maxValues} values; send it in parts.`, {
    details: { reason: 'too many values', limit: maxValues },
  });

const literal = (value: unknown, source: string): JsonValue => {
  if (typeof value === 'string') return { type: 'string', text: value };
  return { type: value === null ? 'null' : typeof value === 'number' ? 'number' : 'boolean', text: source };
};

const malformedJsonError = (code: ParseErrorCode, line: number, column: number): ApiError => {
  const name = printParseErrorCode(code);
  const reason = explanations[name] ?? 'something here is not valid JSON';
  return inputError('json', `The JSON is malformed on line ${line}, column ${column}: ${reason}.`, {
    details: reason,
    line,
  });
};

const explanations: Partial<Record<string, string>> = {
  InvalidNumberFormat: 'a number is not written as JSON requires',
  PropertyNameExpected: 'a key in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected after the key',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'the object is not closed with "}"',
  CloseBracketExpected: 'the array is not closed with "]"',
  EndOfFileExpected: 'something follows the end of the value',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number is not complete',
  InvalidUnicode: 'a \\u escape does not have four hexadecimal digits',
  InvalidEscapeCharacter: 'an escape in a string is not valid',
  InvalidCharacter: 'a control character in a string is not escaped',
};
