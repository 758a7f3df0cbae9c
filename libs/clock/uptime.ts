/** Milliseconds on a clock that is never set and that all processes of a machine share. It begins anew when the machine is started. */
export const uptimeMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);
