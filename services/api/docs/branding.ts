/** The logo of the service, for a dark background. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 176 40" role="img" aria-label="Colophon">
  <path d="M6 7h15l7 7v19H6z" fill="none" stroke="#f4efe6" stroke-width="2.2" stroke-linejoin="round"/>
  <path d="M21 7v7h7M11 20h12M11 25h12" fill="none" stroke="#f4efe6" stroke-width="2.2" stroke-linejoin="round"/>
  <circle cx="17" cy="30.5" r="2.1" fill="#e0a458"/>
  <text x="40" y="27" font-family="Georgia, 'Noto Serif', serif" font-size="22" letter-spacing=".6" fill="#f4efe6">
    Colophon
  </text>
</svg>`;

/** Styles added to those of Swagger UI. */
export const styles = `
body { margin: 0; background: #fbfaf7; }
.swagger-ui { color: #23262b; font-family: 'Noto Sans', 'Segoe UI', system-ui, sans-serif; }
.swagger-ui .topbar { background: #23303d; padding: 8px 0; }
.swagger-ui .topbar .download-url-wrapper, .swagger-ui .topbar .dark-mode-toggle, .swagger-ui .info > .main > a,
.swagger-ui .info hgroup.main a {
  display: none;
}
.swagger-ui .topbar-wrapper .link, .swagger-ui .topbar a { max-width: 200px; }
.swagger-ui .topbar a img, .swagger-ui .topbar a svg { height: 40px; width: auto; }
.swagger-ui .wrapper { max-width: 1080px; }
.swagger-ui .info { margin: 32px 0 16px; }
.swagger-ui .info .title { font-family: Georgia, 'Noto Serif', serif; font-weight: 500; color: #23303d; }
.swagger-ui .info h2 { font-size: 20px; margin: 28px 0 8px; color: #23303d; font-family: inherit; }
.swagger-ui .info p, .swagger-ui .info li, .swagger-ui .markdown p, .swagger-ui .info table {
  font-size: 14px; line-height: 1.6; max-width: 80ch; margin-left: 0; margin-right: 0; font-family: inherit;
}
.swagger-ui .markdown table, .swagger-ui .renderedMarkdown table, .swagger-ui .info table {
  display: block; overflow-x: auto; border-collapse: collapse; width: auto; max-width: none; margin: 12px 0;
}
.swagger-ui .markdown table th, .swagger-ui .markdown table td, .swagger-ui .renderedMarkdown table th,
.swagger-ui .renderedMarkdown table td, .swagger-ui .info table th, .swagger-ui .info table td {
  padding: 6px 20px 6px 0 !important; border-bottom: 1px solid #e3ded3; text-align: left; vertical-align: baseline;
  min-width: 0; width: auto; max-width: 34ch; font-size: 13px; line-height: 1.45; font-family: inherit;
}
.swagger-ui .renderedMarkdown table :is(th, td):last-child { min-width: 26ch; max-width: 56ch; }
.swagger-ui .info table :is(th, td), .swagger-ui .renderedMarkdown table td:first-child code { white-space: nowrap; }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code {
  color: #8a3b12; background: #f3eee4; padding: 1px 4px; border-radius: 3px; font-size: 13px; font-weight: 500;
}
.swagger-ui .renderedMarkdown pre {
  margin: 12px 0; padding: 12px 14px; max-width: 100ch; overflow-x: auto; box-sizing: border-box;
  background: #f3eee4; border-radius: 4px; line-height: 1.5;
}
.swagger-ui .renderedMarkdown pre code {
  color: #23262b; background: none; padding: 0; white-space: pre; overflow-wrap: normal;
}
.swagger-ui .info details { margin: 8px 0; font-size: 14px; }
.swagger-ui .info summary { cursor: pointer; color: #2f6f4f; font-weight: 600; }
.swagger-ui .scheme-container {
  background: transparent; box-shadow: none; padding: 8px 0 16px; border-bottom: 1px solid #e3ded3;
}
.swagger-ui .opblock-tag { font-size: 20px; border-bottom-color: #e3ded3; }
.swagger-ui .opblock { box-shadow: none; border-radius: 6px; }
.swagger-ui .opblock .opblock-summary-method { border-radius: 4px; min-width: 72px; }
.swagger-ui .opblock-description-wrapper p, .swagger-ui .opblock-description-wrapper .renderedMarkdown p {
  font-size: 14px; line-height: 1.6; max-width: 90ch; margin-left: 0; font-family: inherit;
}
.swagger-ui .opblock-description-wrapper, .swagger-ui .opblock-summary-description,
.swagger-ui .opblock-tag small, .swagger-ui .opblock-tag, .swagger-ui .btn,
.swagger-ui label, .swagger-ui select, .swagger-ui table thead tr td, .swagger-ui table thead tr th,
.swagger-ui .response-col_status {
  font-family: inherit;
}
.swagger-ui textarea { font-size: 13px; line-height: 1.5; }
.swagger-ui .responses-table .response-col_status { min-width: 64px; }
.swagger-ui .btn.authorize { border-color: #2f6f4f; color: #2f6f4f; }
.swagger-ui .btn.authorize svg { fill: #2f6f4f; }
.swagger-ui .opblock-summary-description { font-size: 14px; }
/* Swagger UI sets this class for people who prefer dark; its own rules leave out tables and what is styled above. */
html.dark-mode body { background: #1c2022; }
html.dark-mode .swagger-ui .renderedMarkdown pre { background: #0d1014; }
html.dark-mode .swagger-ui .renderedMarkdown pre code { color: #e4e6e6; background: none; }
html.dark-mode .swagger-ui table tbody tr td { color: #e4e6e6; }
html.dark-mode .swagger-ui :is(.markdown, .renderedMarkdown, .info) table :is(th, td) { border-bottom-color: #454d51; }
html.dark-mode .swagger-ui :is(.scheme-container, .opblock-tag) { border-bottom-color: #454d51; }
html.dark-mode .swagger-ui :is(.info summary, .btn.authorize) { color: #74d9a8; border-color: #74d9a8; }
html.dark-mode .swagger-ui .btn.authorize svg { fill: #74d9a8; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .try-out__btn.cancel { color: #ff8f8f; border-color: #ff8f8f; }
html.dark-mode .swagger-ui .examples-select__section-label { color: #e4e6e6; }
@media (max-width: 640px) {
  /* Each row of a table becomes a paragraph: the option, its default, its allowed values, its meaning. */
  .swagger-ui .opblock-description .renderedMarkdown :is(tbody, tr, td) { display: block; }
  .swagger-ui .opblock-description .renderedMarkdown thead, .swagger-ui .opblock-description td:empty { display: none; }
  .swagger-ui .opblock-description .renderedMarkdown tr { padding: 6px 0; border-bottom: 1px solid #e3ded3; }
  .swagger-ui .opblock-description .renderedMarkdown table td:is(td, :last-child) {
    padding: 1px 0 !important; border: 0; min-width: 0; max-width: none;
  }
  .swagger-ui .opblock-description td:nth-child(2):nth-last-child(3)::before { content: 'Default: '; }
  .swagger-ui .opblock-description td:nth-child(3):nth-last-child(2)::before { content: 'Allowed: '; }
}
`;
