import type { CodeSample } from '../../components/CodeBlock.tsx';
import java from './code/Verify.java?raw';
import send from './code/send.sh?raw';
import go from './code/verify.go?raw';
import node from './code/verify.mjs?raw';
import php from './code/verify.php?raw';
import python from './code/verify.py?raw';
import shell from './code/verify.sh?raw';

/** The code of docs/callbacks.md, which a test runs. */
export const verificationSamples: CodeSample[] = [
  { name: 'curl', code: `${shell}\n${send}` },
  { name: 'Node.js', code: node },
  { name: 'Python', code: python },
  { name: 'PHP', code: php },
  { name: 'Go', code: go },
  { name: 'Java', code: java },
];
