import { quoteCharacter } from '../../../foundations/go/quote.ts'

type Check = (text: string) => string | undefined

/** A problem found while parsing a text. */
class InvalidFormat extends Error {}
/** Ends a check; `checking` returns the problem to the validator. */
export const fail = (problem: string): never => {
  throw new InvalidFormat(problem)
}
/** Fails with the problem unless the condition holds. */
export const ensure = (holds: boolean, problem: string): void => {
  if (!holds) fail(problem)
}
/** A character in single quotes, as Go's `%q` prints it in such messages. */
export const quotedCharacter = (character: string): string => quoteCharacter(BigInt(character.codePointAt(0)!))

/** A check that throws if the text is invalid. */
export const checking =
  (read: (text: string) => void): Check =>
  text => {
    try {
      read(text)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

/** Checks a part of a text: a problem there is prefixed with what the part is. */
export const within = (what: string, read: (text: string) => void, text: string): void => {
  try {
    read(text)
  } catch (error) {
    fail(`${what}: ${(error as Error).message}`)
  }
}
