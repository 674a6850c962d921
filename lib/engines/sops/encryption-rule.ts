import { RE2JS } from 're2js'
import type { EncryptionRule } from './metadata.ts'
import { SopsError } from './sops-error.ts'

/** The path of a value: the keys above it, and on each level the comments right before it. */
export interface Place {
  readonly path: readonly string[]
  readonly comments: readonly (readonly string[])[]
  readonly isComment: boolean
}

/** Returns a test of which values of a document are encrypted. Fails with SopsError `metadata` on an invalid expression. */
export const isEncryptedBy = ({ type, value }: EncryptionRule): ((place: Place) => boolean) => {
  switch (type) {
    case 'unencrypted_suffix':
      return ({ path }) => !path.some(key => key.endsWith(value))
    case 'encrypted_suffix':
      return ({ path }) => path.some(key => key.endsWith(value))
    case 'unencrypted_regex':
      return notMatching(matcherOf(type, value))
    case 'encrypted_regex': {
      const matches = matcherOf(type, value)
      return ({ path }) => path.some(matches)
    }
    case 'unencrypted_comment_regex': {
      const matches = matcherOf(type, value)
      return ({ comments }) => !comments.some(level => level.some(matches))
    }
    case 'encrypted_comment_regex': {
      const matches = matcherOf(type, value)
      return place => commentsBefore(place).some(level => level.some(matches))
    }
  }
}

const notMatching =
  (matches: (text: string) => boolean) =>
  ({ path }: Place): boolean =>
    !path.some(matches)

/** A comment that marks a value for encryption is not encrypted itself. */
const commentsBefore = ({ comments, isComment }: Place): readonly (readonly string[])[] =>
  isComment ? comments.with(-1, comments.at(-1)!.slice(0, -1)) : comments

/** The expression comes from the document: Go's syntax, matched in linear time. */
const matcherOf = (type: string, expression: string): ((text: string) => boolean) => {
  try {
    const compiled = RE2JS.compile(expression)
    const known = new Map<string, boolean>()
    return text => {
      const matched = known.get(text) ?? compiled.matcher(text).find()
      if (known.size < 1000) known.set(text, matched)
      return matched
    }
  } catch (error) {
    throw new SopsError('metadata', `${type} is not a regular expression`, { cause: error })
  }
}
