/** A command that makes a first PDF with this key, or with the one in COLOPHON_KEY. */
export const firstRenderCommand = (key = '$COLOPHON_KEY'): string =>
  [
    `curl -sS --fail-with-body ${window.location.origin}/api/v1/render \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -H 'Content-Type: application/json' -H 'Accept: application/pdf' -o hello.pdf \\`,
    `  -d '{"mode":"CONVERT","input_type":"markdown","data":"# Hello"}'`,
  ].join('\n');
