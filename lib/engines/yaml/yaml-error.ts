import type { JsonValue } from './json-value.ts'

/** Text that is not YAML, or YAML that can't become JSON. The message is go-yaml's, which users of Flux and kustomize know. */
export class YamlError extends Error {
  readonly problem: string
  /** 1-based; 0 when the fault has no line. */
  readonly line: number
  private readonly v2Line: number

  /** `v2Line` is the line that go-yaml v2 names, where that is another than v3's. */
  constructor(problem: string, line = 0, file = '', v2Line = line) {
    super(`${file && `${file}: `}yaml: ${line > 0 ? `line ${line}: ` : ''}${problem}`)
    this.name = 'YamlError'
    this.problem = problem
    this.line = line
    this.v2Line = v2Line
  }

  /** The same fault with the file in front. */
  inFile(file: string): YamlError {
    return new YamlError(this.problem, this.line, file, this.v2Line)
  }

  /** The same fault with the line of go-yaml v2, which sigs.k8s.io/yaml reads with: the place where it was met, not where the construct began. */
  asV2(): YamlError {
    return new YamlError(this.problem, this.v2Line)
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
