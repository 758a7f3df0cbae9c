/**
 * How a document is rendered, which decides the browser: `static` without scripts, `scripted` with scripts that need no
 * screen frames, `animated` with scripts that may need them.
 */
export const renderModes = ['static', 'scripted', 'animated'] as const;
export type RenderMode = (typeof renderModes)[number];
