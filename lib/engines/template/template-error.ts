/** A template that can't be parsed or executed; the message is Go's, with template, line and column. */
export class TemplateError extends Error {}

/** A text that is no template. */
export class TemplateSyntaxError extends TemplateError {}
