/** A command that makes a PDF with an API key in COLOPHON_KEY. */
export const firstRenderCommand = (): string =>
  [
    `curl -sS --fail-with-body ${window.location.origin}/api/v1/render -o hello.pdf \\`,
    `  -H "Authorization: Bearer $COLOPHON_KEY" -H 'Accept: application/pdf' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"mode":"CONVERT","input_type":"markdown","data":"# Hello"}'`,
  ].join('\n');
