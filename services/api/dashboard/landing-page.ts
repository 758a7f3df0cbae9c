import { hash } from 'node:crypto';
import { escapeMarkup } from '#libs/markup/escape.ts';

/** A page without scripts, and the SHA-256 of its style element for the Content-Security-Policy. */
export type StaticPage = { html: string; styleHash: string };

const style = `
:root { color-scheme: light dark; --bg: light-dark(#f8f7f4, #101316); --surface: light-dark(#fff, #171b1f);
  --border: light-dark(#e5e1d9, #2a3038); --text: light-dark(#1c2127, #e9ebed); --muted: light-dark(#525962, #adb5be);
  --accent: light-dark(#1f6b4a, #4cc38a); --on-accent: light-dark(#fff, #05231a); --link: light-dark(#18603f, #74d9a8);
  --focus: light-dark(#1d6fd1, #7cb7ff) }
* { box-sizing: border-box }
body { margin: 0; background: var(--bg); color: var(--text); line-height: 1.6;
  font-family: ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif }
a { color: var(--link); text-underline-offset: .15em }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 3px; border-radius: 4px }
header, main, footer { max-width: 62rem; margin: 0 auto; padding: 0 1.5rem }
header { display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding-block: 1.25rem }
.logo { display: inline-flex; align-items: center; gap: .6rem; font-size: 1.15rem; font-weight: 650 }
nav { display: flex; gap: 1rem; white-space: nowrap }
nav a { min-height: 1.75rem }
h1 { max-width: 18ch; margin: clamp(2rem, 8vw, 5rem) 0 1rem; font-size: clamp(2.1rem, 6vw, 3.5rem); line-height: 1.08;
  letter-spacing: -.03em }
.lead { max-width: 44rem; margin: 0 0 2rem; color: var(--muted); font-size: clamp(1.05rem, 2.2vw, 1.25rem) }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-bottom: clamp(2.5rem, 6vw, 4rem) }
.button { display: inline-flex; align-items: center; min-height: 2.75rem; padding: 0 1.25rem; border-radius: 10px;
  border: 1px solid var(--border); background: var(--surface); color: var(--text); font-weight: 600;
  text-decoration: none }
.primary { border-color: transparent; background: var(--accent); color: var(--on-accent) }
h2 { margin: 0 0 .5rem; font-size: 1.15rem; letter-spacing: -.01em }
pre { margin: .75rem 0 0; padding: 1.1rem 1.25rem; overflow: auto; border: 1px solid var(--border);
  border-radius: 12px; background: var(--surface); font-size: .85rem; line-height: 1.65 }
code { font-family: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'Noto Sans Mono', monospace }
ul { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem; margin: 3rem 0;
  padding: 0; list-style: none }
li { padding: 1.25rem; border: 1px solid var(--border); border-radius: 12px; background: var(--surface) }
li p, .muted { margin: 0; color: var(--muted) }
footer { padding-block: 2rem; color: var(--muted); font-size: .9rem }
`;

const logo = `<svg viewBox="0 0 32 32" width="30" height="30" fill="none" stroke-linejoin="round" aria-hidden="true">
<rect width="32" height="32" rx="7" fill="#1f6b4a"/><path d="M9 6.5h9.5l5 5V25.5H9z" stroke="#fff" stroke-width="2"/>
<path d="M18.5 6.5v5h5M13 15.5h7M13 19h7" stroke="#fff" stroke-width="2"/>
<circle cx="16.4" cy="22.6" r="1.5" fill="#f0b866"/></svg>`;

const pageOf = (title: string, body: string): StaticPage => ({
  styleHash: hash('sha256', style, 'base64'),
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`,
});

const quickstartOf = (
  baseUrl: string,
): string => `export COLOPHON_KEY=...   # the first start of the service prints keys
curl -sS --fail-with-body ${baseUrl}/api/v1/render \\
  -H "Authorization: Bearer $COLOPHON_KEY" \\
  -H 'Content-Type: application/json' -H 'Accept: application/pdf' \\
  -d '{"mode": "CONVERT", "input_type": "markdown", "data": "# Hello\\n\\nA first document."}' \\
  -o hello.pdf`;

/** What Colophon is, where to sign in, the reference, and a request that runs. */
export const landingPage = (baseUrl: string): StaticPage =>
  pageOf(
    'Colophon: documents to PDF',
    `<header>
<span class="logo">${logo}Colophon</span>
<nav aria-label="Main"><a href="/docs">API reference</a><a href="/dashboard/sign-in">Sign in</a></nav>
</header>
<main>
<h1>PDFs with a record of how they were made.</h1>
<p class="lead">Send HTML, Markdown, Word, Excel, PowerPoint, CSV, JSON, XML, the address of a page, or a template with
data. Get a PDF, and a record from which the same bytes can be made again.</p>
<div class="buttons">
<a class="button primary" href="/dashboard">Open the dashboard</a>
<a class="button" href="/docs">Read the API reference</a>
</div>
<section aria-labelledby="quickstart">
<h2 id="quickstart">A first PDF</h2>
<p class="muted">One request. The response is the PDF.</p>
<pre tabindex="0"><code>${escapeMarkup(quickstartOf(baseUrl))}</code></pre>
</section>
<ul>
<li><h2>Every kind of input</h2><p>One call for all of them. Page sizes, headers, footers and fonts are options.</p>
</li>
<li><h2>Templates with versions</h2><p>Write a template once and fill it with data. Compare and restore versions.</p></li>
<li><h2>A record of everything</h2><p>Each change is an event. Any render can be verified and repeated.</p></li>
</ul>
</main>
<footer>To sign in, open the link that the service printed at its start. For a new link, run
<code>npm run -s colophon -- dashboard</code> on the machine of the service, with the same
<code>COLOPHON_DATA_DIR</code>.</footer>`,
  );

/** Says how to build the dashboard. */
export const notBuiltPage = (): StaticPage =>
  pageOf(
    'The dashboard is not built',
    `<main>
<h1>The dashboard is not built</h1>
<p class="lead">The service runs, but the files of its dashboard are missing. Run this in the folder of the project:</p>
<pre tabindex="0"><code>node scripts/setup/dashboard.mjs</code></pre>
<p class="muted">Then load this page again. The API and <a href="/docs">its reference</a> work without the
dashboard.</p>
</main>`,
  );
