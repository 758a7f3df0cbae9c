import type { RenderReplies } from './port.ts';
import { openPendingReplies } from './pending-replies.ts';

/** Replies within one process. */
export const openMemoryReplies = (): RenderReplies => openPendingReplies();
