/** The colours of the element and of the example page (clients/elements/src/styles.css). */
const COLOURS = `
  :root {
    color-scheme: light dark;
    --accent: light-dark(#1b5e59, #7fcac3);
    --on-accent: light-dark(#fff, #0b2321);
    --ink: light-dark(#1f2328, #eceae6);
    --quiet: light-dark(#5a6169, #a6abb2);
    --ground: light-dark(#fff, #121416);
    --paper: light-dark(#fff, #1c1f22);
    --edge: light-dark(#858b93, #7f868f);
    --line: light-dark(#e1dfda, #31353a);
    --wash: light-dark(#e7f1f0, #1b2c2b);
    --error: light-dark(#a8261c, #ff9d92);
    background: var(--ground);
  }
  body { margin: 0; color: var(--ink); font: 1rem/1.6 system-ui, sans-serif }
  a { color: var(--accent) }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }`;

export const START_STYLES = `${COLOURS}
  body { max-width: 34rem; margin: 4rem auto; padding: 0 1rem }`;

/** The id of the container makes these rules stronger than those of Swagger UI, in its light and its dark theme. */
export const DOCS_STYLES = `${COLOURS}
  html.dark-mode { background: var(--ground) }
  noscript { display: block; padding: 1rem }
  #api .swagger-ui .wrapper { max-width: 62rem; padding: 0 1rem }
  #api .swagger-ui :is(*, ::before, ::after) { font-family: inherit; text-shadow: none }
  #api .swagger-ui :is(code, pre, textarea, .opblock-summary-path, .parameter__name, .opblock-summary-method, .model, .prop-type) {
    font-family: ui-monospace, monospace;
  }
  #api .swagger-ui :is(code, pre, .model) * { font-family: inherit }
  #api .swagger-ui :is(div, span, p, li, h1, h2, h3, h4, h5, th, td, label, section, table, button, .opblock-tag, .model-title,
    .opblock-summary-path, .opblock-summary-description, .parameter__name, .renderedMarkdown) { color: inherit }
  #api .swagger-ui { color: var(--ink) }
  #api .swagger-ui a.nostyle { color: inherit }
  #api .swagger-ui :is(.info a, .markdown a, .renderedMarkdown a, .link) { color: var(--accent) }
  #api .swagger-ui :is(.parameter__type, .parameter__in, .prop-format, .opblock-tag small, .response-control-media-type__accept-message,
    .servers-title, .opblock-summary-description) { color: var(--quiet) }
  #api .swagger-ui :is(.parameter__name.required span, .parameter__name.required::after) { color: var(--error) }
  #api .swagger-ui :is(.info, .markdown, .renderedMarkdown, .opblock-description) code {
    padding: 0.1em 0.35em;
    border-radius: 0.25rem;
    background: var(--wash);
    color: inherit;
    font-weight: inherit;
  }
  #api .swagger-ui .info { margin: 2rem 0 1.5rem }
  #api .swagger-ui .info .title { font-size: 2rem; line-height: 1.25 }
  /* The version of OpenAPI that only this page gets. */
  #api .swagger-ui .info .version-stamp { display: none }
  #api .swagger-ui .info .title small { background: var(--wash); color: var(--accent) }
  #api .swagger-ui .info .title small pre { color: inherit }
  #api .swagger-ui :is(.info p, .info li, .opblock-description-wrapper p) { font-size: 1rem; line-height: 1.6 }
  #api .swagger-ui .scheme-container {
    margin: 0 0 1.5rem;
    padding: 1rem 0;
    border-bottom: 1px solid var(--line);
    background: none;
    box-shadow: none;
  }
  #api .swagger-ui .opblock-tag { padding: 0.75rem 0; border-bottom: 1px solid var(--line); font-size: 1.25rem }
  #api .swagger-ui .opblock-tag:hover { background: none }
  #api .swagger-ui .opblock-tag small { font-size: 0.875rem }
  #api .swagger-ui :is(.opblock, section.models, section.models .model-container, .dialog-ux .modal-ux) {
    border: 1px solid var(--line);
    border-radius: 0.5rem;
    background: var(--paper);
    box-shadow: none;
  }
  #api .swagger-ui .opblock :is(.opblock-summary, .opblock-section-header, .tab-header) { border-color: var(--line) }
  #api .swagger-ui .opblock .opblock-summary { padding: 0.5rem 0.75rem }
  #api .swagger-ui .opblock .opblock-section-header { background: var(--wash); box-shadow: none }
  #api .swagger-ui .opblock .opblock-summary-method {
    min-width: 4.5rem;
    padding: 0;
    background: none;
    color: var(--accent);
    text-align: left;
  }
  #api .swagger-ui .opblock-delete .opblock-summary-method { color: var(--error) }
  #api .swagger-ui .opblock .tab-header .tab-item.active h4 span::after { background: var(--accent) }
  #api .swagger-ui .tab li button.tablinks { color: inherit }
  #api .swagger-ui :is(section.models h4, section.models.is-open h4, .model-box, table thead tr :is(td, th), .responses-table tr) {
    border-color: var(--line);
  }
  #api .swagger-ui :is(.model-box, section.models .model-container:hover) { background: none }
  #api .swagger-ui :is(svg:not(:root), .arrow, .model-toggle::after) { fill: currentColor }
  #api .swagger-ui .btn {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    min-height: 2.5rem;
    border: 1px solid var(--edge);
    border-radius: 0.5rem;
    background: var(--paper);
    color: var(--ink);
    box-shadow: none;
  }
  #api .swagger-ui .btn:is(.authorize, .execute) { border-color: var(--accent); background: var(--accent); color: var(--on-accent) }
  #api .swagger-ui .btn:is(.authorize, .execute) * { color: inherit; fill: currentColor }
  #api .swagger-ui .btn.authorize span { float: none; padding: 0 0.75rem 0 0 }
  #api .swagger-ui .btn.cancel { border-color: var(--error); color: var(--error) }
  #api .swagger-ui :is(input, select, textarea) {
    border: 1px solid var(--edge);
    border-radius: 0.5rem;
    background-color: var(--paper);
    box-shadow: none;
    color: var(--ink);
  }
  #api .swagger-ui select { background-image: none; appearance: auto }
  #api .swagger-ui :is(.highlight-code, .highlight-code > pre, .curl-command pre) { border-radius: 0.5rem }
  #api .swagger-ui :is(.highlight-code, .curl-command) :is(pre, pre *) { color: revert-layer }
  #api .swagger-ui .dialog-ux .backdrop-ux { background: rgb(0 0 0 / 60%) }
  #api .swagger-ui .dialog-ux .modal-ux-header { border-color: var(--line) }
  @media (width < 40rem) {
    #api .swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
    #api .swagger-ui .opblock .opblock-summary-path { max-width: none; overflow-wrap: anywhere }
    #api .swagger-ui .opblock-tag small { display: none }
    #api .swagger-ui .opblock .view-line-link { display: none }
    #api .swagger-ui table:is(.parameters, .responses-table) {
      &, > tbody, > tbody > tr, > tbody > tr > td { display: block; width: auto; max-width: none; padding: 0.25rem 0 }
      > thead { display: none }
    }
    #api .swagger-ui .scheme-container .schemes { align-items: start; flex-wrap: wrap }
  }`;
