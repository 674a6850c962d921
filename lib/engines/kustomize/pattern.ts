import { compileRegexp } from '../../foundations/go/compile-regexp.ts'
import { KustomizeError } from './kustomize-error.ts'

export type Matcher = (text: string) => boolean

/** Compiles a pattern in Go's syntax; matching takes time linear in the text, whatever the pattern. */
export const compilePattern = (pattern: string): Matcher => {
  try {
    const compiled = compileRegexp(pattern)
    return text => compiled.matcher(text).find()
  } catch (error) {
    throw new KustomizeError((error as Error).message, {}, error)
  }
}
