/** A text with variables: literal parts, and expressions in `${...}`. */
export type Template = readonly (string | Expression)[]

export interface Expression {
  readonly variable: string
  readonly operator: Operator
  /** Evaluated before the operator; each may contain further expressions. */
  readonly operands: readonly Template[]
}

export type Operator =
  /** `${name}` */
  | ''
  /** `${#name}` */
  | 'length'
  | '='
  | ':='
  | ':-'
  | ':?'
  | ':+'
  /** `${name:offset}`, `${name:offset:length}` */
  | ':'
  | '#'
  | '##'
  | '%'
  | '%%'
  | '/'
  | '//'
  | '/#'
  | '/%'
  | '^'
  | '^^'
  | ','
  | ',,'
  /** `${name^,}` and `${name,^}` are accepted and change nothing. */
  | '^,'
  | ',^'

/** Why a text can't be substituted, worded as in Flux's envsubst. */
export class SubstitutionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SubstitutionError'
  }
}
