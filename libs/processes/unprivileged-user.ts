/** The ids of the user and group nobody, as whom a process that is started by root runs. */
export const nobodyId = 65534;

/** Whether this process runs as root, so that it starts others as nobody. */
export const runsAsRoot = (): boolean => process.getuid?.() === 0;
