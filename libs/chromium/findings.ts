/** What a document's scripts, or the browser about it, said. */
export type ConsoleMessage = { level: 'debug' | 'info' | 'warning' | 'error'; text: string };
/** A font that text was set in; `embedded` where the document brought it along. */
export type FontUse = { family: string; embedded: boolean; glyphs: number };
/** A font that text asked for first, and those that it was set in for want of it. */
export type FontMissing = { family: string; instead: string[] };

/** What can be learnt of a document while it is printed, by looking closely, which takes time. It is filled as the document goes on, so that one that fails leaves what there was until then. */
export type Findings = { console: ConsoleMessage[]; /** How many messages there were beyond those kept. */ furtherMessages: number; fonts: { used: FontUse[]; missing: FontMissing[] } | null };

export const noFindings = (): Findings => ({ console: [], furtherMessages: 0, fonts: null });
