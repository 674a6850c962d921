/** A template that can't be parsed or executed; the message is Go's, with template, line and column. */
export class TemplateError extends Error {}

/** The template can't be parsed. */
export class TemplateSyntaxError extends TemplateError {}
