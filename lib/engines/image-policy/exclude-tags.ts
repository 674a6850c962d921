import type { RE2JS } from 're2js'
import { compareText } from '../../foundations/go/compare-text.ts'
import { compileRegexp } from '../../foundations/go/compile-regexp.ts'

/** The tags that match none of the expressions, in descending order. Fails with the message of image-reflector-controller. */
export const excludeTags = (tags: readonly string[], exclusions: readonly string[]): readonly string[] => {
  const expressions = exclusions.map(requireExpression)
  return tags
    .filter(tag => !expressions.some(expression => expression.matcher(tag).find()))
    .sort((a, b) => compareText(b, a))
}

const requireExpression = (pattern: string): RE2JS => {
  try {
    return compileRegexp(pattern)
  } catch (error) {
    throw new Error(`failed to compile regex ${pattern}: ${(error as Error).message}`)
  }
}
