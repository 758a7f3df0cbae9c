import type { Bus } from '#libs/bus/port.ts';
import { openSqliteBus } from '#libs/bus/sqlite.ts';

/** The queue in SQLite with a clock that stands still, for the other process of a test. */
export const openBusAt = (file: string, time: number): Bus => openSqliteBus(file, () => time);
