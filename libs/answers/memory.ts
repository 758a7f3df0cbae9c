import type { Answers } from './port.ts';
import { openWaitingRoom } from './waiting-room.ts';

/** Answers within one process. */
export const openMemoryAnswers = (): Answers => openWaitingRoom();
