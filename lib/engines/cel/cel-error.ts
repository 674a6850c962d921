/**
 * An expression that can't be read (`parse`: nothing but another expression helps) or not be evaluated for these data
 * (`evaluation`: other data may do).
 */
export class CelError extends Error {
  readonly stage: 'parse' | 'evaluation'
  /** The message without the values from the data that it quotes: for readers who may see the expression, but not the data. */
  readonly messageWithoutValues: string
  constructor(stage: CelError['stage'], message: string, cause?: unknown, messageWithoutValues = message) {
    super(message, { cause })
    this.name = 'CelError'
    this.stage = stage
    this.messageWithoutValues = messageWithoutValues
  }
}

/** More than an evaluation may cost: nothing in the expression makes up for it, unlike for an error. */
export class CostLimitExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
    this.name = 'CostLimitExceeded'
  }
}

/** A message that quotes values from the data comes with one that doesn't. */
export const evaluationError = (message: string, withoutValues = message): CelError =>
  new CelError('evaluation', message, undefined, withoutValues)

/** What CEL says when an operator or function is not made for such values; in some cases with the name of it. */
export const noSuchOverload = (what?: string): CelError =>
  evaluationError(what === undefined ? 'no such overload' : `no such overload: ${what}`)

/** A name that stands for nothing, with the steps that were to follow. */
export class UnknownAttribute extends CelError {
  readonly path: string
  constructor(path: string) {
    super('evaluation', `no such attribute(s): ${path}`)
    this.path = path
  }
}
