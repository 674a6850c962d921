import type { JsonValue } from './json-value.ts'

/** The text is not valid YAML, or the YAML can't be converted to JSON. The message is go-yaml's, which users of Flux and kustomize know. */
export class YamlError extends Error {
  readonly problem: string
  /** 1-based; 0 if the error has no line. */
  readonly line: number
  private readonly v2Line: number

  /** `v2Line` is the line that go-yaml v2 reports, if it differs from v3's. */
  constructor(problem: string, line = 0, file = '', v2Line = line) {
    super(`${file && `${file}: `}yaml: ${line > 0 ? `line ${line}: ` : ''}${problem}`)
    this.name = 'YamlError'
    this.problem = problem
    this.line = line
    this.v2Line = v2Line
  }

  /** The same error with the file in front. */
  inFile(file: string): YamlError {
    return new YamlError(this.problem, this.line, file, this.v2Line)
  }

  /** The same error with the line of go-yaml v2, which sigs.k8s.io/yaml uses: where the error was found, not where the construct began. */
  asV2(): YamlError {
    return new YamlError(this.problem, this.v2Line)
  }
}

/** Data that JSON can't represent: infinities, keys other than strings. The message is Go's. */
export class UnsupportedData extends Error {
  /** The surrounding data. */
  readonly data: JsonValue

  constructor(message: string, data: JsonValue = null) {
    super(message)
    this.name = 'UnsupportedData'
    this.data = data
  }
}
