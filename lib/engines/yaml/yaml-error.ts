import type { JsonValue } from './json-value.ts'

/** Text that is not YAML, or YAML that can't become JSON. The message is go-yaml's, which users of Flux and kustomize know. */
export class YamlError extends Error {
  readonly problem: string
  /** 1-based; 0 when the fault has no line. */
  readonly line: number

  constructor(problem: string, line = 0, file = '') {
    super(`${file && `${file}: `}yaml: ${line > 0 ? `line ${line}: ` : ''}${problem}`)
    this.name = 'YamlError'
    this.problem = problem
    this.line = line
  }

  /** The same fault with the file in front. */
  inFile(file: string): YamlError {
    return new YamlError(this.problem, this.line, file)
  }
}

/** Data that JSON doesn't have: infinities, keys that are no text. The message is Go's. */
export class UnsupportedData extends Error {
  /** What it stood in. */
  readonly data: JsonValue

  constructor(message: string, data: JsonValue = null) {
    super(message)
    this.name = 'UnsupportedData'
    this.data = data
  }
}
