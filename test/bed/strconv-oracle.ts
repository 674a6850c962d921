import { join } from 'node:path'
import { answersOf } from './line-oracle.ts'

/** A number to write, `single` when it is kept in 32 bits. */
export interface FloatQuestion {
  /** As JavaScript writes it: not all numbers can be had in JSON. */
  readonly float: string
  readonly verb: 'b' | 'e' | 'f' | 'g' | 'x'
  /** As many digits as it takes when -1. */
  readonly precision: number
  readonly single?: true
}

/** A text: it is quoted, quoted in ASCII, trimmed, and trimmed at its left. */
export interface TextQuestion {
  readonly text: string
}

/** A character by its number: it is quoted, quoted in ASCII, and described. */
export interface RuneQuestion {
  readonly rune: number
}

export type StrconvQuestion = FloatQuestion | TextQuestion | RuneQuestion

/** How Go itself writes them. */
export const askStrconvOracle = (questions: readonly StrconvQuestion[]): Promise<readonly (readonly string[])[]> =>
  answersOf(
    {
      name: 'strconv-oracle',
      source: join(import.meta.dirname, 'strconv-oracle'),
      ldflags: '-s -w',
      takes: 'some seconds',
    },
    questions,
  )
