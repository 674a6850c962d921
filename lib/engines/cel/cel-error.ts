/**
 * An expression that can't be parsed (`parse`: only another expression helps), or not evaluated with this data (`evaluation`: other data
 * may work).
 */
export class CelError extends Error {
  readonly stage: 'parse' | 'evaluation'
  /** The message without the values that it quotes from the data: for readers who may see the expression, but not the data. */
  readonly messageWithoutValues: string
  constructor(stage: CelError['stage'], message: string, cause?: unknown, messageWithoutValues = message) {
    super(message, { cause })
    this.name = 'CelError'
    this.stage = stage
    this.messageWithoutValues = messageWithoutValues
  }
}

/** An evaluation exceeded its cost limit. Unlike a CelError, no other part of the expression can replace it. */
export class CostLimitExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
    this.name = 'CostLimitExceeded'
  }
}

/** If the message quotes values from the data, `withoutValues` is the message without them. */
export const evaluationError = (message: string, withoutValues = message): CelError =>
  new CelError('evaluation', message, undefined, withoutValues)

/** cel-go's error for an operator or function that does not take such values; some messages name it. */
export const noSuchOverload = (what?: string): CelError =>
  evaluationError(what === undefined ? 'no such overload' : `no such overload: ${what}`)

/** A name that resolves to nothing, with the steps that follow it. */
export class UnknownAttribute extends CelError {
  readonly path: string
  constructor(path: string) {
    super('evaluation', `no such attribute(s): ${path}`)
    this.path = path
  }
}
