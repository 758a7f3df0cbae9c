import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import type { Classification } from '#libs/documents/html/classify.ts';

/** The render mode of a document: it decides which browser prints it. */
export const renderModeOf = ({
  classification: { scripts, needsFrames, external },
  options: { wait_time, wait_for, wait_for_selector },
}: {
  classification: Pick<Classification, 'scripts' | 'needsFrames' | 'external'>;
  options: Pick<RenderOptions, 'wait_time' | 'wait_for' | 'wait_for_selector'>;
}): RenderMode => {
  if (!scripts) return 'static';
  const waits = wait_time > 0 || wait_for === 'networkidle' || wait_for_selector !== undefined;
  return needsFrames || external || waits ? 'animated' : 'scripted';
};
