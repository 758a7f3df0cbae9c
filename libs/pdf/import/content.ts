import { readOperations } from '../content-stream.ts';
import { damaged } from './invalid-pdf.ts';

const closing: Record<string, string> = { ']': '[', '>>': '<<' };
const operatorPattern = /^[A-Za-z0-9'"*]+$/;

/** Whether each array and dictionary of the operands is closed. */
const isBalanced = (operands: readonly string[]): boolean => {
  const open: string[] = [];
  for (const operand of operands)
    if (operand === '[' || operand === '<<') open.push(operand);
    else if (closing[operand] && open.pop() !== closing[operand]) return false;
  return open.length === 0;
};

/**
 * The content of a page so that other content can follow it: it leaves the graphics state as it was.
 * @throws ApiError invalid_pdf for content that is damaged
 */
export const encloseContent = (content: string): string => {
  let open = 0;
  let missing = 0;
  let last = 0;
  for (const { operator, operands, end } of readOperations(content)) {
    if (!operatorPattern.test(operator) || !isBalanced(operands)) throw damaged('the content of a page cannot be read');
    if (operator === 'q') open += 1;
    else if (operator === 'Q' && open > 0) open -= 1;
    else if (operator === 'Q') missing += 1;
    last = end;
  }
  // Operands without an operator may be a string that never ends.
  return `${'q\n'.repeat(missing + 1)}${content.slice(0, last)}\n${'Q\n'.repeat(open + 1)}`;
};
