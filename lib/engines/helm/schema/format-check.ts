import { quoteCharacter } from '../../../foundations/go/quote.ts'

type Check = (text: string) => string | undefined

/** A problem found while parsing a text. */
class InvalidFormat extends Error {}
export const fail = (problem: string): never => {
  throw new InvalidFormat(problem)
}
export const ensure = (holds: boolean, problem: string): void => {
  if (!holds) fail(problem)
}
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

export const within = (what: string, read: (text: string) => void, text: string): void => {
  try {
    read(text)
  } catch (error) {
    fail(`${what}: ${(error as Error).message}`)
  }
}
