/** Every fourth task that starts is an ordinary one, if there is any, even when many urgent tasks wait. */
export const ordinaryTaskInterval = 4;
