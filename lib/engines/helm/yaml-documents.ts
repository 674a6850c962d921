import { trimSpace } from '../../foundations/go/white-space.ts'

const SEPARATOR = '---'

/**
 * Splits a stream as Kubernetes' YAML reader does: at lines that begin with `---` and have nothing but space or a comment behind it. Throws
 * Error with its message when it comes to a line that has something else there, after the documents before.
 */
export function* yamlDocuments(stream: string): Generator<string> {
  let document = ''
  for (const line of linesOf(stream)) {
    if (line.startsWith(SEPARATOR)) {
      const rest = trimSpace(line.slice(SEPARATOR.length))
      if (rest !== '' && !rest.startsWith('#')) throw new Error(`invalid Yaml document separator: ${rest}`)
      if (document !== '') {
        yield document
        document = ''
        continue
      }
    }
    document += line
  }
  if (document !== '') yield document
}

/** With their ends. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
