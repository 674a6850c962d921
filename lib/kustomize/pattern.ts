import { RE2JS } from 're2js'
import { KustomizeError } from './kustomize-error.ts'

export type Matcher = (text: string) => boolean

/** Anchored text without any special character: compared, not matched. */
const LITERAL = /^\^(?:\(\?:)?([A-Za-z0-9_/-]*)\)?\$$/

/** Compiles a pattern of Go's syntax; matching takes time linear in the text, whatever the pattern. */
export const compilePattern = (pattern: string): Matcher => {
  const literal = LITERAL.exec(pattern)?.[1]
  if (literal !== undefined) return text => text === literal
  try {
    const compiled = RE2JS.compile(pattern)
    return text => compiled.matcher(text).find()
  } catch (error) {
    throw new KustomizeError((error as Error).message, {}, error)
  }
}
