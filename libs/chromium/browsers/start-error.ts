/** The browser does not start. The message says what it printed, and what to do if that is known. */
export class BrowserStartError extends Error {
  override readonly name = 'BrowserStartError';
}

/** The error of a browser that did not start; `stderr` is what it printed. */
export const startError = (executable: string, stderr: string): BrowserStartError => {
  if (
    /No usable sandbox|setuid sandbox|sandbox_host_linux|Failed to move to new namespace|credentials\.cc/i.test(stderr)
  )
    return new BrowserStartError(
      `Chromium's sandbox cannot start here, and Colophon does not run documents without it. ` +
        `Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, ` +
        `kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0; in a container a seccomp ` +
        `profile that allows clone and unshare), or install Chromium's setuid sandbox (Debian: chromium-sandbox). ` +
        `Chromium said: ${stderr.slice(-500)}`,
    );
  return new BrowserStartError(
    `${executable} did not start as a browser${stderr ? `. It said: ${stderr.slice(-1000)}` : ', and printed nothing'}.`,
  );
};
