import type { ReadStore } from '#libs/read-store/port.ts';
import type { Opened } from '../harness.ts';

/** `another` opens the same storage once more, as a second process would. */
export type OpenedReadStore = Opened<ReadStore> & { another?: () => Promise<ReadStore> };
