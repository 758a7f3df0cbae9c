import { userInfo } from 'node:os';

/** The name of the user who runs this process. A container may have no name for it. */
export const machineUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 0}`;
  }
};
