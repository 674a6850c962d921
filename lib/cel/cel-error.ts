/**
 * An expression that can't be read (`parse`: nothing but another expression helps) or not be evaluated for these data
 * (`evaluation`: other data may do).
 */
export class CelError extends Error {
  readonly stage: 'parse' | 'evaluation'
  constructor(stage: CelError['stage'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'CelError'
    this.stage = stage
  }
}

/** More than an evaluation may cost: nothing in the expression makes up for it, unlike for an error. */
export class CostLimitExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
    this.name = 'CostLimitExceeded'
  }
}

export const evaluationError = (message: string): CelError => new CelError('evaluation', message)

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
