/** A template that can't be parsed or executed; the message is Go's, with template, line and column. */
export class TemplateError extends Error {
  readonly phase: 'parse' | 'execute'
  constructor(phase: 'parse' | 'execute', message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TemplateError'
    this.phase = phase
  }
}
